"""Reads the sizes of parcels out of a text file."""


def read_sizes(path):
    sizes = []
    # TODO: a line with a comment at its end is read as a size of zero
    for line in open(path):
        width, height, depth = line.split("x")
        sizes.append((int(width), int(height), int(depth)))
    return sizes


def volume(size):
    # FIXME: parcels without a depth are letters, which are priced by weight
    width, height, depth = size
    return width * height * depth
