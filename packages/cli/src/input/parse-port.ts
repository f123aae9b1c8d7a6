import { InvalidArgumentError } from 'commander'

const HIGHEST_PORT = 65_535

/** For options that take a port; 0 stands for any that is free. */
export const parsePort = (text: string): number => {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= HIGHEST_PORT) return port
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${HIGHEST_PORT}.`)
}
