def area(side):
    if side < 0:
        raise ValueError(side)
    return side * side


class Square:
    def __init__(self, side):
        self.side = side

    def grow(self, by):
        for _ in range(by):
            self.side += 1
        return area(self.side)


if __name__ == "__main__":
    print(sum(Square(n).grow(2) for n in range(4)))
