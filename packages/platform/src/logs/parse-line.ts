import { isUtf8 } from 'node:buffer'
import { isJsonObject, type JsonObject } from '@steward/contract'

export type ParsedLine = { kind: 'row'; row: JsonObject } | { kind: 'foreign' | 'binary' | 'blank' }

/** Deeper than any real row; serialising deeper ones would overflow the stack. */
const DEEPEST_LEVEL = 100

/** One line of a log, without its break. */
export const parseLine = (line: Buffer): ParsedLine => {
  if (!isUtf8(line) || line.includes(0)) return { kind: 'binary' }
  const text = line.toString('utf8')
  const row = parseObject(text)
  if (row !== undefined) return { kind: 'row', row }
  return { kind: text.trim() === '' ? 'blank' : 'foreign' }
}

const parseObject = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) && !isDeeperThan(value, DEEPEST_LEVEL) ? value : undefined
  } catch {
    return undefined
  }
}

const isDeeperThan = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((item) => isDeeperThan(item, levels - 1))
}
