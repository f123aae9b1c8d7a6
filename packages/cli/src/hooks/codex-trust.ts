import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type HostPlace, hostFile } from '@steward/assistants'
import { writeFileAtomically } from '@steward/platform'
import { z } from 'zod'
import type { Io } from '../io.ts'
import { trustHooks, untrustHooks } from './codex-config.ts'
import { findHostCommand } from './find-hosts.ts'
import { readIfThere } from './install-record.ts'

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

const configFile = (place: HostPlace): string =>
  join(dirname(hostFile('codex', { env: place.env, homedir: place.homedir })), 'config.toml')

/**
 * Codex runs only hooks that were trusted in the form they have, and says nothing about the others. It
 * is asked itself for the form, so that nothing is guessed; without it the person is told what to do.
 */
export const establishTrust = async (io: Io, path: string, place: HostPlace): Promise<void> => {
  const command = findHostCommand(io, 'codex')
  const hooks = command === undefined ? [] : await listHooks(io, command, place)
  const ours = hooks.filter(({ key }) => key.startsWith(`${path}:`))
  if (ours.length === 0) {
    io.err.write(
      'codex: it could not be asked to trust the hooks; start codex once and accept them with /hooks\n',
    )
    return
  }
  const file = configFile(place)
  const text = readIfThere(file) ?? ''
  const next = trustHooks(text, ours)
  if (next === text) return
  await mkdir(dirname(file), { recursive: true })
  await writeFileAtomically(file, next)
  io.err.write(`codex: ${ours.length} hooks are trusted now (${file})\n`)
}

/** Hooks in the file that Codex will not run, by its own word; nothing when it cannot be asked. */
export const findUntrusted = async (
  io: Io,
  path: string,
  place: HostPlace,
): Promise<string[] | undefined> => {
  const command = findHostCommand(io, 'codex')
  const hooks = command === undefined ? [] : await listHooks(io, command, place)
  const ours = hooks.filter(({ key }) => key.startsWith(`${path}:`))
  if (ours.length === 0) return undefined
  return ours.filter(({ trustStatus }) => trustStatus !== 'trusted').map(({ key }) => key)
}

/** Takes our trust out of its settings again. */
export const removeTrust = async (place: HostPlace): Promise<void> => {
  const file = configFile(place)
  const text = readIfThere(file)
  if (text === undefined) return
  const next = untrustHooks(text, hostFile('codex', place))
  if (next !== text) await writeFileAtomically(file, next)
}

type Hook = z.infer<typeof hook>

const listHooks = (io: Io, command: string, { project }: HostPlace): Promise<Hook[]> =>
  new Promise((resolve) => {
    const child = spawn(command, ['app-server'], {
      env: { ...io.env },
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
      { id: 2, method: 'hooks/list', params: { cwds: [project ?? io.homedir] } },
    ]
    for (const ask of asks) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...ask })}\n`)
  })

const readAnswer = (line: string): Hook[] | undefined => {
  if (!line.startsWith('{')) return undefined
  const parsed = answer.safeParse(JSON.parse(line))
  return parsed.success ? parsed.data.result.data.flatMap(({ hooks }) => hooks) : undefined
}
