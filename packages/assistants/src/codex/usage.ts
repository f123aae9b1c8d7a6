import { join } from 'node:path'
import {
  countIn,
  jsonLines,
  type LineFormat,
  objectIn,
  textIn,
  timeIn,
} from '../usage/json-lines.ts'
import type { UsageReader } from '../usage/usage-reader.ts'
import { codexFolder } from './files.ts'

/**
 * One file per thread. The model and the folder are in earlier rows. `token_count` rows repeat, so
 * only `token_usage_record` is counted; its input includes the cache, and its output reasoning.
 */
const FORMAT: LineFormat = {
  marks: ['_usage_record"', '_context"', '_meta"'],
  read: (row, memory) => {
    const payload = objectIn(row, 'payload')
    if (row.type === 'session_meta' || row.type === 'turn_context') {
      const project = textIn(payload, 'cwd')
      const model = textIn(payload, 'model')
      const branch = textIn(objectIn(payload, 'git'), 'branch')
      const source = textIn(payload, 'thread_source')
      if (project !== undefined) memory.project = project
      if (model !== undefined) memory.model = model
      if (branch !== undefined) memory.branch = branch
      if (source !== undefined) memory.source = source
      return {}
    }
    const usage = objectIn(payload, 'usage')
    const id = textIn(payload, 'response_id')
    const thread = textIn(payload, 'thread_id')
    if (row.type !== 'token_usage_record' || usage === undefined || !id || !thread) return {}
    const session = textIn(payload, 'session_id') ?? thread
    const isSubagent = thread !== session || memory.source === 'guardian_review'
    const cacheRead = countIn(usage, 'cached_input_tokens')
    const cacheWrite5m = countIn(usage, 'cache_write_input_tokens')
    return {
      calls: [
        {
          id,
          session,
          ...(isSubagent ? { subagent: thread } : {}),
          ...(memory.project === undefined ? {} : { project: String(memory.project) }),
          ...(memory.branch === undefined ? {} : { branch: String(memory.branch) }),
          model: String(memory.model ?? 'unknown'),
          atMs: timeIn(row, 'timestamp'),
          tokens: {
            input: Math.max(0, countIn(usage, 'input_tokens') - cacheRead - cacheWrite5m),
            output: countIn(usage, 'output_tokens'),
            cacheRead,
            cacheWrite5m,
            cacheWrite1h: 0,
          },
        },
      ],
    }
  },
}

export const codexUsage: UsageReader = {
  folders: (place) =>
    ['sessions', 'archived_sessions'].map((name) => ({
      path: join(codexFolder(place), name),
      isDeep: true,
    })),
  sourceOf: (path) => (path.endsWith('.jsonl') ? jsonLines(path, FORMAT) : undefined),
}
