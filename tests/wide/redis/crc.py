"""Redis's CRC-64, for payloads that are made or bent here."""


def crc64(data):  # reflected, polynomial of Jones
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x95AC9329AC4BC9B5 if crc & 1 else 0)
    return crc
