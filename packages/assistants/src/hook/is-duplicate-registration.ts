import { readFileSync } from 'node:fs'
import { isJsonObject } from '@steward/contract'
import { codeOf } from '@steward/platform'
import type { HostPlace } from '../assistant.ts'
import { ASSISTANTS, hostFile } from '../assistants.ts'
import { textOf } from '../payload/fields.ts'
import { HOOK_FILE } from '../registration/hook-program.ts'
import type { HookCall } from './read-arguments.ts'

/**
 * Whether another registration of ours handles the same event. A plugin yields to the settings, and a
 * project's settings to the person's. The person's own settings never yield, so that no event is missed.
 */
export const isDuplicateRegistration = (
  call: HookCall,
  payload: unknown,
  own: Pick<HostPlace, 'env' | 'homedir'>,
): boolean => {
  const { host, origin } = call
  const fields = isJsonObject(payload) ? payload : {}
  const assistant = ASSISTANTS[host]
  const other = assistant.runBy?.(fields)
  if (other !== undefined) return readIfThere(hostFile(other, own)).includes(HOOK_FILE)
  if (origin === undefined) return false
  const inOwn = readIfThere(hostFile(host, own))
  if (origin === 'project') return handles(inOwn, call, (text) => !text.includes(ORIGIN))
  const project = assistant.projectOf?.(own.env) || textOf(fields, 'cwd')
  const inProject = project === undefined ? '' : readIfThere(hostFile(host, { ...own, project }))
  return [inOwn, inProject].some((text) => handles(text, call, () => true))
}

/** A project may be the person's home folder: its registration is then in their own file. */
const ORIGIN = '--origin'

const handles = (
  text: string,
  { host, event, guard }: HookCall,
  counts: (text: string) => boolean,
): boolean => {
  if (!text.includes(HOOK_FILE)) return false
  const found = ASSISTANTS[host].format.find(text)
  return found?.has({ event, ...(guard ? { guards: true } : {}) }, counts) === true
}

const readIfThere = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    // An unreadable file registers nothing; the assistant reports what is wrong with it.
    if (codeOf(thrown) !== undefined) return ''
    throw thrown
  }
}
