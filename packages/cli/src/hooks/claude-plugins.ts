import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findHooks, HOOK_FILE } from '@steward/assistants'
import { isFields, parseJson } from '@steward/contract'
import { z } from 'zod'
import type { Io } from '../io.ts'
import { askCommand } from './ask-command.ts'

/** Our plugin as Claude Code has it installed. */
export interface InstalledPlugin {
  id: string
  path: string
  events: string[]
  /** Why none of its hooks will run; Claude Code does not say. */
  problem: string | null
}

const listed = z.array(
  z.looseObject({
    id: z.string(),
    enabled: z.boolean(),
    installPath: z.string(),
    readFromFolder: z.string().optional(),
  }),
)

/** Claude Code itself is asked which plugins it has; one that is only given with `--plugin-dir` is not among them. */
export const findClaudePlugins = async (io: Io, command: string): Promise<InstalledPlugin[]> => {
  const answer = await askCommand(io, command, ['plugin', 'list', '--json'])
  const parsed = parseJson(answer.stdout, 'claude plugin list')
  const plugins = listed.safeParse(parsed.ok ? parsed.value : undefined)
  if (!plugins.success) return []
  const found: InstalledPlugin[] = []
  for (const { id, enabled, installPath, readFromFolder } of plugins.data) {
    const path = readFromFolder ?? installPath
    const text = enabled ? hooksIn(path) : ''
    if (!text.includes(HOOK_FILE)) continue
    const settings = parseJson(text, path)
    const events = settings.ok && isFields(settings.value) ? findHooks(settings.value) : []
    found.push({ id, path, events, problem: await findProblem(io, command, path, text) })
  }
  return found
}

const hooksIn = (path: string): string => {
  const file = join(path, 'hooks', 'hooks.json')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** One event that the version does not know silences all hooks of a plugin, so it is asked itself. */
const findProblem = async (
  io: Io,
  command: string,
  path: string,
  text: string,
): Promise<string | null> => {
  const [, program] = /\$\{CLAUDE_PLUGIN_ROOT\}([^"]*steward-hook\.mjs)/.exec(text) ?? []
  if (program !== undefined && !existsSync(join(path, program))) {
    return `its program is not at ${join(path, program)}: a plugin that was copied out of its clone does not find it`
  }
  const { ok, stdout, stderr } = await askCommand(io, command, ['plugin', 'validate', path])
  if (ok) return null
  const reasons = `${stdout}\n${stderr}`.split('\n').filter((line) => line.includes('❯'))
  return `this version does not accept it: ${reasons.map((line) => line.replace(/^.*❯\s*/, '')).join('; ') || 'claude plugin validate fails'}`
}
