import { isUtf8 } from 'node:buffer'
import { isJsonDeeperThan, isJsonObject, type JsonObject, LIMITS } from '@steward/contract'

export type ParsedLine = { kind: 'row'; row: JsonObject } | { kind: 'foreign' | 'binary' | 'blank' }

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
    return isJsonObject(value) && !isJsonDeeperThan(text, LIMITS.jsonDepth) ? value : undefined
  } catch {
    return undefined
  }
}
