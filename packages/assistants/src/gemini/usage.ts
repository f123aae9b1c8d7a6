import { basename, dirname, join, sep } from 'node:path'
import {
  countIn,
  jsonLines,
  type LineFormat,
  objectIn,
  textIn,
  timeIn,
} from '../usage/json-lines.ts'
import type { UsageReader } from '../usage/usage-reader.ts'
import { geminiFolder } from './files.ts'

/**
 * A file per session in `<project>/chats`, and of its subagents in a folder with its name. A message
 * with tool calls is written twice under one id. The input includes the cache, the output no
 * thoughts.
 */
const FORMAT: LineFormat = {
  marks: ['"tokens":', '"projectHash":'],
  read: (row, memory, path) => {
    // The first row has the id that hooks and telemetry use; the file's name has a part of it.
    const named = textIn(row, 'sessionId')
    if (named !== undefined) memory.session = named
    const tokens = objectIn(row, 'tokens')
    const id = textIn(row, 'id')
    const model = textIn(row, 'model')
    if (row.type !== 'gemini' || tokens === undefined || !id || !model) return {}
    const file = basename(path, '.jsonl')
    const folder = basename(dirname(path))
    const isSubagent = folder !== 'chats'
    const project = basename(dirname(isSubagent ? dirname(dirname(path)) : dirname(path)))
    const cacheRead = countIn(tokens, 'cached')
    return {
      calls: [
        {
          id,
          session: isSubagent ? folder : String(memory.session ?? file),
          ...(isSubagent ? { subagent: String(memory.session ?? file) } : {}),
          project,
          model,
          atMs: timeIn(row, 'timestamp'),
          tokens: {
            input: Math.max(0, countIn(tokens, 'input') - cacheRead),
            output: countIn(tokens, 'output') + countIn(tokens, 'thoughts'),
            cacheRead,
            cacheWrite5m: 0,
            cacheWrite1h: 0,
          },
        },
      ],
    }
  },
}

export const geminiUsage: UsageReader = {
  folders: (place) => [{ path: join(geminiFolder(place), 'tmp'), isDeep: true }],
  sourceOf: (path) =>
    path.endsWith('.jsonl') && path.split(sep).includes('chats')
      ? jsonLines(path, FORMAT)
      : undefined,
}
