import { type Fields, type HostName, isFields, parseJson, StewardError } from '@steward/contract'
import type { HookProgram } from './hook-program.ts'
import { addHooks, removeHooks } from './merge-hooks.ts'
import { renderOpencodePlugin } from './opencode-plugin.ts'

/** What a file holds now and what it would hold; nothing where it is not, or would not be, there. */
export interface PlannedChange {
  host: HostName
  path: string
  before: string | undefined
  after: string | undefined
}

/** How an install would change a host's file. Throws when the file is not what it should be. */
export const planInstall = (
  host: HostName,
  path: string,
  before: string | undefined,
  program: HookProgram,
): PlannedChange => {
  if (host === 'opencode') return { host, path, before, after: renderOpencodePlugin(program) }
  const settings = parseSettings(before, path)
  const next = addHooks(settings, host, program, path)
  const isSame = before !== undefined && JSON.stringify(next) === JSON.stringify(settings)
  return { host, path, before, after: isSame ? before : render(next, before) }
}

/** How an uninstall would: exactly what was there before, unless someone changed the file meanwhile. */
export const planUninstall = (
  host: HostName,
  path: string,
  now: string | undefined,
  installed: { before: string | undefined; after: string } | undefined,
): PlannedChange => {
  const plan = (after: string | undefined) => ({ host, path, before: now, after })
  if (now === undefined) return plan(undefined)
  if (installed !== undefined && installed.after === now) return plan(installed.before)
  if (host === 'opencode') return plan(now.includes('steward-hook.mjs') ? undefined : now)
  const settings = parseSettings(now, path)
  const next = removeHooks(settings, path)
  return plan(JSON.stringify(next) === JSON.stringify(settings) ? now : render(next, now))
}

const parseSettings = (text: string | undefined, file: string): Fields => {
  if (text === undefined || text.trim() === '') return {}
  const parsed = parseJson(text, file)
  if (!parsed.ok) throw parsed.error
  if (isFields(parsed.value)) return parsed.value
  throw new StewardError('invalid_definition', { file, reason: 'it holds no JSON object' })
}

/** With the indentation and the end of the file that its owner likes. */
const render = (settings: Fields, before: string | undefined): string => {
  const indent = /^([ \t]+)"/m.exec(before ?? '')?.[1] ?? '  '
  const end = before === undefined || before.endsWith('\n') ? '\n' : ''
  return `${JSON.stringify(settings, null, indent)}${end}`
}
