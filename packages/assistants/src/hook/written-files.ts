import { resolve } from 'node:path'
import type { HostEvent } from '@steward/contract'
import { firstTextOf, textOf } from '../shared/fields.ts'

const FILE_TOOLS: ReadonlySet<string> = new Set(['Write', 'Edit', 'MultiEdit'])
const PATCHED_FILE = /^\*\*\* (?:Add File|Update File|Move to): (.+)$/gm

/** Files that a tool call wrote, by their whole path. */
export const writtenFiles = (event: HostEvent): string[] => {
  const { tool_name = '', tool_input = {}, cwd = '/' } = event
  if (FILE_TOOLS.has(tool_name)) {
    const file = firstTextOf(tool_input, 'file_path', 'filePath')
    return file === undefined ? [] : [resolve(cwd, file)]
  }
  if (tool_name !== 'apply_patch') return []
  const patch = firstTextOf(tool_input, 'command', 'input', 'patch') ?? textOf(event, 'patch') ?? ''
  return [...patch.matchAll(PATCHED_FILE)].flatMap(([, file = '']) => resolve(cwd, file.trim()))
}
