def main(start):
    keep = []
    for i in range(200):
        row = [start + i + j for j in range(12)]
        if i % 25 == 0:
            keep.append([row, (i, row[3])])
    print(sum([pair[0][11] for pair in keep]), keep[2][1])


main(threadIdx % 4)
