# Functions: Asynchronous generators
import asyncio
async def items():
    yield 1
async def main():
    async for item in items():
        print(item)
asyncio.run(main())
