import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isJsonObject, type JsonObject } from '@steward/contract'
import { freePort, until } from '../machine.ts'
import { openScreen } from '../screen.ts'
import { questionOf, type Session, type Subject } from '../subject.ts'
import type { World } from '../world.ts'

export const prepareOpencode = ({ user, vendor }: World): void => {
  mkdirSync(join(user, '.config/opencode'), { recursive: true })
  const options = { baseURL: `${vendor.address}/v1`, apiKey: 'x' }
  writeFileSync(
    join(user, '.config/opencode/opencode.json'),
    JSON.stringify({
      model: 'anthropic/claude-sonnet-4-5',
      small_model: 'anthropic/claude-sonnet-4-5',
      provider: { anthropic: { options } },
      autoupdate: false,
      share: 'disabled',
      permission: { bash: 'ask', edit: 'ask' },
    }),
  )
}

const envOf = ({ env }: World): Record<string, string> => ({
  ...env,
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_ENABLE_QUESTION_TOOL: '1',
})

const STEPS: Subject['steps'] = {
  permission: (task) => [
    {
      tool: 'bash',
      input: { command: `node mark.mjs ${task}`, description: 'Marks the project' },
    },
  ],
  question: (task) => [{ tool: 'question', input: questionOf(task) }],
}

export const opencodeSubjects = (version: string, program: string): Subject[] => [
  {
    name: `opencode ${version}`,
    mode: 'terminal',
    steps: STEPS,
    open: (world) => openTerminal(world, program),
  },
  {
    name: `opencode ${version}`,
    mode: 'serve',
    steps: STEPS,
    open: (world) => openServer(world, program),
  },
]

/** `opencode serve`, with its API as the prompt of the person at the machine. */
const openServer = async (world: World, program: string): Promise<Session> => {
  const child = spawn(
    program,
    ['serve', '--port', String(await freePort()), '--hostname', '127.0.0.1'],
    {
      cwd: world.project,
      env: envOf(world),
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const lines = createInterface({ input: child.stdout })
  const address = await new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      const [found] = /http:\/\/[\d.]+:\d+/.exec(line) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  const call = async (path: string, body?: JsonObject): Promise<unknown> => {
    const response = await fetch(`${address}${path}`, {
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return text === '' ? undefined : JSON.parse(text)
  }
  const session = await call('/session', { title: 'Scripted' })
  const id = isJsonObject(session) ? String(session.id) : ''
  let turn: Promise<unknown> = Promise.resolve()
  const pendingOf = async (kind: string) => {
    const list = await call(kind === 'question' ? '/question' : '/permission')
    const [first]: unknown[] = Array.isArray(list) ? list : []
    return isJsonObject(first) ? String(first.id) : undefined
  }
  return {
    tell: async (prompt) => {
      turn = call(`/session/${id}/message`, { parts: [{ type: 'text', text: prompt }] })
      // It ends with an error if the server does.
      turn.catch(() => undefined)
    },
    isAsking: async (kind) => (await pendingOf(kind)) !== undefined,
    press: async (kind, isYes) => {
      const asked = await until('OpenCode asks', () => pendingOf(kind))
      if (kind !== 'question')
        await call(`/permission/${asked}/reply`, { reply: isYes ? 'once' : 'reject' })
      else if (isYes) await call(`/question/${asked}/reply`, { answers: [['Blue']] })
      else await call(`/question/${asked}/reject`, {})
    },
    settle: async () => void (await turn),
    seen: async () => JSON.stringify(await call('/permission')),
    close: async () => void child.kill(),
  }
}

const DIALOG = /Permission required|Allow once|enter submit|enter select/i

const openTerminal = async (world: World, program: string): Promise<Session> => {
  const screen = await openScreen(world.root, [program], {
    cwd: world.project,
    env: envOf(world),
    ready: /Ask anything/,
    // Its first start takes half a minute.
    limitMs: 150_000,
  })
  const isAsking = async () => DIALOG.test(await screen.text())
  return {
    isAsking,
    tell: async (prompt) => {
      await screen.type(prompt)
      await until('the prompt is typed', async () => (await screen.text()).includes(prompt))
      await screen.press('Enter')
    },
    press: async (_kind, isYes) => screen.press(isYes ? 'Enter' : 'Escape'),
    settle: async () => {
      await until('the turn ends', async () => {
        const shown = await screen.text()
        return !/esc (again to )?interrupt/.test(shown) && !DIALOG.test(shown)
      })
    },
    seen: screen.text,
    close: screen.close,
  }
}
