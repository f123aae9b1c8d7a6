import { InvalidArgumentError } from 'commander'

/** For options that take a count: a whole number from 1 on. */
export const parseCount = (text: string): number => {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) {
    throw new InvalidArgumentError('It must be a whole number from 1 on.')
  }
  return count
}
