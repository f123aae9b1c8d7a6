import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, parseJson } from '@steward/contract'
import { z } from 'zod'
import type { HostPlace } from '../assistant.ts'
import { askCommand } from '../command/ask-command.ts'
import { HOOK_FILE } from '../registration/hook-program.ts'
import { findHooks } from '../registration/json-settings.ts'
import type { InstalledPlugin } from '../report/host-report.ts'

const listed = z.array(
  z.looseObject({
    id: z.string(),
    enabled: z.boolean(),
    installPath: z.string(),
    readFromFolder: z.string().optional(),
  }),
)

/** Lists the plugins of Claude Code. A plugin loaded with `--plugin-dir` is not listed. */
export const findClaudePlugins = async (
  command: string,
  place: HostPlace,
): Promise<InstalledPlugin[]> => {
  const answer = await askCommand(place, command, ['plugin', 'list', '--json'])
  const parsed = parseJson(answer.stdout, 'claude plugin list')
  const plugins = listed.safeParse(parsed.ok ? parsed.value : undefined)
  if (!plugins.success) return []
  const found: InstalledPlugin[] = []
  for (const { id, enabled, installPath, readFromFolder } of plugins.data) {
    const path = readFromFolder ?? installPath
    const text = enabled ? hooksIn(path) : ''
    if (!text.includes(HOOK_FILE)) continue
    const settings = parseJson(text, path)
    const events = settings.ok && isJsonObject(settings.value) ? findHooks(settings.value) : []
    found.push({ id, path, events, problem: await findProblem(command, place, path, text) })
  }
  return found
}

const hooksIn = (path: string): string => {
  const file = join(path, 'hooks', 'hooks.json')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** An unknown event disables all hooks of a plugin, so this version of Claude Code validates it. */
const findProblem = async (
  command: string,
  place: HostPlace,
  path: string,
  text: string,
): Promise<string | null> => {
  const [, program] = /\$\{CLAUDE_PLUGIN_ROOT\}([^"]*steward-hook\.mjs)/.exec(text) ?? []
  if (program !== undefined && !existsSync(join(path, program))) {
    return `its program is missing at ${join(path, program)}: the plugin was copied out of its clone`
  }
  const { ok, stdout, stderr } = await askCommand(place, command, ['plugin', 'validate', path])
  if (ok) return null
  const reasons = `${stdout}\n${stderr}`.split('\n').filter((line) => line.includes('❯'))
  return `this version does not accept it: ${reasons.map((line) => line.replace(/^.*❯\s*/, '')).join('; ') || 'claude plugin validate fails'}`
}
