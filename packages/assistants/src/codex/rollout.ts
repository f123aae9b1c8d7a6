import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { type HostEvent, isJsonObject, parseJson } from '@steward/contract'
import { nestedOf, numberOf, textOf } from '../payload/fields.ts'

/** The rollout has one row per finished command, near its end when the hook reads it. */
const TAIL_BYTES = 256 * 1024

/**
 * A shell call that failed: Codex's hook has only its output, and its own record, the rollout, the
 * exit code. Without a record the call counts as successful, as before.
 */
export const lookUpFailure = (event: HostEvent): HostEvent => {
  const { hook_event_name: name, tool_name: tool, tool_use_id: id, raw } = event
  const file = textOf(raw, 'transcript_path')
  if (name !== 'PostToolUse' || tool !== 'Bash' || id === undefined || file === undefined) {
    return event
  }
  const exit = readExitCode(file, id)
  if (exit === undefined || exit === 0) return event
  const output = typeof raw.tool_response === 'string' ? raw.tool_response : ''
  const error = `Exit code ${exit}\n${output}`.trimEnd()
  return { ...event, hook_event_name: 'PostToolUseFailure', error }
}

const readExitCode = (file: string, id: string): number | undefined => {
  const line = readTail(file)
    .split('\n')
    .findLast((each) => each.includes('"CommandExecution"') && each.includes(JSON.stringify(id)))
  const row = line === undefined ? undefined : parseJson(line, 'a row of the rollout')
  if (row === undefined || !row.ok || !isJsonObject(row.value)) return undefined
  const item = nestedOf(nestedOf(row.value, 'payload'), 'item')
  return textOf(item, 'id') === id ? numberOf(item, 'exit_code') : undefined
}

const readTail = (file: string): string => {
  try {
    const opened = openSync(file, 'r')
    try {
      const { size } = fstatSync(opened)
      const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES))
      const read = readSync(opened, bytes, 0, bytes.length, size - bytes.length)
      return bytes.toString('utf8', 0, read)
    } finally {
      closeSync(opened)
    }
  } catch {
    // It is gone, or not ours to read.
    return ''
  }
}
