import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { writeFileAtomically } from '@steward/platform'
import { z } from 'zod'
import type { HostPlace } from '../assistant.ts'
import { findAnyCommand } from '../command/find-any-command.ts'
import { trustHooks, untrustHooks } from './config.ts'
import { CODEX_COMMANDS, codexConfigFile, codexFile } from './files.ts'

const ANSWER_LIMIT_MS = 15_000

const hook = z.looseObject({
  key: z.string(),
  currentHash: z.string(),
  trustStatus: z.string().optional(),
})
const answer = z.looseObject({
  id: z.literal(2),
  result: z.looseObject({ data: z.array(z.looseObject({ hooks: z.array(hook) })) }),
})

/**
 * Codex only runs hooks that were trusted in their current form, and skips the others silently.
 * Codex itself provides that form; if it cannot be queried, a message says what to do.
 */
export const establishTrust = async (
  path: string,
  place: HostPlace,
): Promise<string | undefined> => {
  const ours = await listOurs(path, place)
  if (ours.length === 0) {
    return 'it could not be made to trust the hooks; start codex once and accept them with /hooks'
  }
  const file = codexConfigFile(place)
  const text = readText(file) ?? ''
  const next = trustHooks(text, ours)
  if (next === text) return undefined
  await mkdir(dirname(file), { recursive: true })
  await writeFileAtomically(file, next)
  return `${ours.length} hooks are trusted now (${file})`
}

/** The hooks in the file that Codex will not run; undefined if Codex cannot be queried. */
export const findUntrusted = async (
  path: string,
  place: HostPlace,
): Promise<string[] | undefined> => {
  const ours = await listOurs(path, place)
  if (ours.length === 0) return undefined
  return ours.filter(({ trustStatus }) => trustStatus !== 'trusted').map(({ key }) => key)
}

/** Removes our trust from its settings. */
export const removeTrust = async (place: HostPlace): Promise<void> => {
  const file = codexConfigFile(place)
  const text = readText(file)
  if (text === undefined) return
  const next = untrustHooks(text, codexFile(place))
  if (next !== text) await writeFileAtomically(file, next)
}

const readText = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined

type Hook = z.infer<typeof hook>

const listOurs = async (path: string, place: HostPlace): Promise<Hook[]> => {
  const command = findAnyCommand(place, CODEX_COMMANDS)
  const hooks = command === undefined ? [] : await listHooks(command, place)
  return hooks.filter(({ key }) => key.startsWith(`${path}:`))
}

const listHooks = (command: string, { env, homedir, project }: HostPlace): Promise<Hook[]> =>
  new Promise((resolve) => {
    const child = spawn(command, ['app-server'], {
      env: { ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const finish = (hooks: Hook[]) => {
      clearTimeout(timer)
      child.kill('SIGTERM')
      resolve(hooks)
    }
    const timer = setTimeout(() => finish([]), ANSWER_LIMIT_MS)
    child.once('error', () => finish([]))
    child.once('exit', () => finish([]))
    child.stdin.on('error', () => finish([]))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = readAnswer(line)
      if (found !== undefined) finish(found)
    })
    const clientInfo = { name: 'steward', version: '1' }
    const asks = [
      { id: 1, method: 'initialize', params: { clientInfo } },
      { method: 'initialized' },
      { id: 2, method: 'hooks/list', params: { cwds: [project ?? homedir] } },
    ]
    for (const ask of asks) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...ask })}\n`)
  })

const readAnswer = (line: string): Hook[] | undefined => {
  if (!line.startsWith('{')) return undefined
  const parsed = answer.safeParse(JSON.parse(line))
  return parsed.success ? parsed.data.result.data.flatMap(({ hooks }) => hooks) : undefined
}
