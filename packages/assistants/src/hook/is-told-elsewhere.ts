import { readFileSync } from 'node:fs'
import { isFields, parseJson } from '@steward/contract'
import { hasHook, isOfKind } from '../install/has-hook.ts'
import { HOOK_FILE } from '../install/hook-program.ts'
import { type HostPlace, hostFile } from '../install/host-files.ts'
import { textOf } from '../shared/fields.ts'
import type { HookCall } from './read-arguments.ts'

/**
 * Whether another registration of ours does the same for this event. A plugin leaves it to the settings,
 * a project's to the person's; those for all that a person does leave nothing to anybody, so that an
 * event is never told, or judged, by none.
 */
export const isToldElsewhere = (
  call: HookCall,
  payload: unknown,
  own: Pick<HostPlace, 'env' | 'homedir'>,
): boolean => {
  const { host, origin } = call
  const fields = isFields(payload) ? payload : {}
  // Cursor runs the hooks of Claude Code beside its own.
  if (host === 'claude' && textOf(fields, 'cursor_version') !== undefined) {
    return readIfThere(hostFile('cursor', own)).includes(HOOK_FILE)
  }
  if (origin === undefined) return false
  const inOwn = readIfThere(hostFile(host, own))
  if (origin === 'project') return tells(inOwn, call, (text) => !text.includes(ORIGIN))
  const project = own.env.CLAUDE_PROJECT_DIR || textOf(fields, 'cwd')
  const inProject = project === undefined ? '' : readIfThere(hostFile(host, { ...own, project }))
  return [inOwn, inProject].some((text) => tells(text, call, () => true))
}

/** A project may be the person's home folder: its registration is then in their own file. */
const ORIGIN = '--origin'

const tells = (
  text: string,
  { host, event, guard }: HookCall,
  counts: (text: string) => boolean,
): boolean => {
  if (!text.includes(HOOK_FILE)) return false
  // One module does all of it.
  if (host === 'opencode') return counts(text) && (guard !== true || isOfKind(text, GUARDS))
  const parsed = parseJson(text, 'settings')
  const settings = parsed.ok && isFields(parsed.value) ? parsed.value : {}
  return hasHook(settings, { event, ...(guard ? GUARDS : {}) }, counts)
}

const GUARDS = { guards: true } as const

const readIfThere = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    // What cannot be read registers nothing here; the host says what is wrong with it.
    if (thrown instanceof Error && 'code' in thrown) return ''
    throw thrown
  }
}
