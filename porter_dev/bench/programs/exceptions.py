class Refused(Exception):
    pass


def risky(i):
    if i % 3 == 0:
        raise Refused(i)
    if i % 3 == 1:
        return 100 // (i % 2)
    return i


def main(start):
    total = refused = divided = ended = 0
    for i in range(start, start + 48):
        try:
            total += risky(i)
        except Refused as error:
            refused += error.args[0]
        except ZeroDivisionError:
            divided += 1
        finally:
            ended += 1
    print(total, refused, divided, ended)


main(threadIdx % 4)
