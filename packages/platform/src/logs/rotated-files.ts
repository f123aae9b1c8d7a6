import { basename, dirname } from 'node:path'
import { listIfPresent, listIfPresentSync } from '../files/read-if-present.ts'

/** `tool-activity.jsonl.1` is the newest rotated file of `tool-activity.jsonl`; higher numbers are older. */
export const rotatedPath = (path: string, number: number): string => `${path}.${number}`

/** The numbers of a log's rotated files, newest first. */
export const listRotated = async (path: string): Promise<number[]> =>
  numbersIn(await listIfPresent(dirname(path)), path)

export const listRotatedSync = (path: string): number[] =>
  numbersIn(listIfPresentSync(dirname(path)), path)

const NUMBER = /^[1-9]\d{0,5}$/

const numbersIn = (names: readonly string[], path: string): number[] => {
  const prefix = `${basename(path)}.`
  return names
    .filter((name) => name.startsWith(prefix) && NUMBER.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)))
    .toSorted((a, b) => a - b)
}
