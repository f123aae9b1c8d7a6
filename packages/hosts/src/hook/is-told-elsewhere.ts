import { readFileSync } from 'node:fs'
import { type HostName, isFields, parseJson } from '@steward/contract'
import { HOOK_FILE } from '../install/hook-program.ts'
import { type HostPlace, hostFile } from '../install/host-files.ts'
import { textOf } from '../shared/fields.ts'
import type { HookCall } from './read-arguments.ts'

/**
 * Whether another registration of ours tells of the same event. A plugin leaves it to the settings, a
 * project's to the person's; those for all that a person does leave nothing to anybody, so that an
 * event is never told by none.
 */
export const isToldElsewhere = (
  { host, event, origin }: HookCall,
  payload: unknown,
  own: Pick<HostPlace, 'env' | 'homedir'>,
): boolean => {
  const fields = isFields(payload) ? payload : {}
  // Cursor runs the hooks of Claude Code beside its own.
  if (host === 'claude' && textOf(fields, 'cursor_version') !== undefined) {
    return readIfThere(hostFile('cursor', own)).includes(HOOK_FILE)
  }
  if (origin === undefined) return false
  const inOwn = readIfThere(hostFile(host, own))
  if (origin === 'project') return tells(inOwn, host, event, (entry) => !entry.includes(ORIGIN))
  const project = own.env.CLAUDE_PROJECT_DIR || textOf(fields, 'cwd')
  const inProject = project === undefined ? '' : readIfThere(hostFile(host, { ...own, project }))
  return [inOwn, inProject].some((text) => tells(text, host, event, () => true))
}

/** A project may be the person's home folder: its registration is then in their own file. */
const ORIGIN = '--origin'

const tells = (
  text: string,
  host: HostName,
  event: string,
  counts: (entry: string) => boolean,
): boolean => {
  if (!text.includes(HOOK_FILE)) return false
  if (host === 'opencode') return counts(text)
  const parsed = parseJson(text, 'settings')
  const hooks = parsed.ok && isFields(parsed.value) ? parsed.value.hooks : undefined
  const entries = isFields(hooks) ? hooks[event] : undefined
  if (!Array.isArray(entries)) return false
  return entries
    .map((entry) => JSON.stringify(entry ?? null))
    .some((entry) => entry.includes(HOOK_FILE) && counts(entry))
}

const readIfThere = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    // What cannot be read registers nothing here; the host says what is wrong with it.
    if (thrown instanceof Error && 'code' in thrown) return ''
    throw thrown
  }
}
