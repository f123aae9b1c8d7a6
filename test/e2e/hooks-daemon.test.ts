import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { isJsonObject } from '@steward/contract'
import { holdLock } from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Cli, createCli } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'
import { createHookHome, type HookHome, toolCall } from './hooks-process.ts'
import { PACKED_HOOK } from './launcher.ts'

let cli: Cli
let hooks: HookHome
let daemon: DaemonProcess | undefined
beforeEach(() => {
  cli = createCli()
  mkdirSync(cli.home, { recursive: true })
  cli.write('settings.json', '{"voice":{"provider":"browser"}}')
  hooks = createHookHome(PACKED_HOOK, cli.home)
})
afterEach(async () => {
  await daemon?.kill()
  daemon = undefined
  cli.remove()
})

/** Far below a host's timeout, far above the duration on a busy machine. */
const IN_TIME_MS = 10_000

const prompt = (text: string) =>
  hooks.fire('UserPromptSubmit', {
    session_id: 's1',
    hook_event_name: 'UserPromptSubmit',
    prompt: text,
  })
const stop = () =>
  hooks.fire('Stop', {
    session_id: 's1',
    hook_event_name: 'Stop',
    last_assistant_message: 'x\n🗣️ The roof is on.',
  })

const listOf = (body: unknown, key: string): Array<Record<string, unknown>> => {
  const list = isJsonObject(body) ? body[key] : body
  return Array.isArray(list) ? list.filter(isJsonObject) : []
}
const ask = (path: string, isRight: (body: unknown) => boolean): Promise<unknown> =>
  vi.waitFor(
    async () => {
      const body: unknown = await (await daemon?.fetch(path))?.json()
      expect(isRight(body), JSON.stringify(body)).toBe(true)
      return body
    },
    { timeout: 60_000, interval: 100 },
  )
const idsOf = (body: unknown): string[] =>
  listOf(body, 'events').flatMap(({ tool_use_id }) =>
    typeof tool_use_id === 'string' ? [tool_use_id] : [],
  )

describe('hooks and a daemon that stops and restarts', () => {
  it('hung, killed and restarted: hooks return in time, every row is logged exactly once', async () => {
    daemon = await startDaemonProcess(cli)
    await hooks.fire('PostToolUse', toolCall('up'))
    await prompt('8 - good work')

    // The stopped daemon accepts connections and never answers.
    process.kill(daemon.pid, 'SIGSTOP')
    const hung = await Promise.all([
      hooks.fire('PostToolUse', toolCall('hung')),
      prompt('9 - better still'),
      stop(),
    ])
    process.kill(daemon.pid, 'SIGCONT')
    for (const { code, stderr, wallMs } of hung) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(wallMs).toBeLessThan(IN_TIME_MS)
    }
    await ask('/api/events/recent', (body) => idsOf(body).includes('hung'))

    await daemon.kill()
    const down = await Promise.all([
      hooks.fire('PostToolUse', toolCall('down')),
      prompt('7 - fine for now'),
      stop(),
    ])
    for (const { code, stderr } of down) expect({ code, stderr }).toEqual({ code: 0, stderr: '' })

    daemon = await startDaemonProcess(cli)
    await hooks.fire('PostToolUse', toolCall('again'))
    const body = await ask('/api/events/recent', (found) => idsOf(found).includes('again'))
    expect(idsOf(body).toSorted()).toEqual(['again', 'down', 'hung', 'up'])
    const novelty = await ask('/api/novelty', (found) => listOf(found, 'ratings').length >= 3)
    expect(
      listOf(novelty, 'ratings')
        .map(({ rating }) => rating)
        .toSorted(),
    ).toEqual([7, 8, 9])
    const rows = hooks.rows('tool-activity').map(({ type, tool_use_id }) => tool_use_id ?? type)
    expect(rows.toSorted()).toEqual(
      [
        'up',
        'hung',
        'down',
        'again',
        'turn_end',
        'turn_end',
        ...Array(3).fill('user_prompt'),
      ].sort(),
    )
  })

  it.each([
    ['invalid HTTP', (socket: Socket) => socket.end('\0\u0007 no HTTP at all\r\n\r\n')],
    ['half a response', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 99')],
    [
      'a slow response',
      (socket: Socket) => setTimeout(() => socket.end('HTTP/1.1'), 60_000).unref(),
    ],
    ['a closed connection', (socket: Socket) => socket.destroy()],
  ])('a daemon that answers with %s causes no lost row and no delay', async (_name, answer) => {
    const sockets: Socket[] = []
    const server = createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => socket.destroy())
      socket.once('data', () => answer(socket))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const lock = holdLock(join(cli.home, 'state/daemon.lock'))
    const info = { pid: 1, address: `http://127.0.0.1:${port}`, startedAt: '' }
    writeFileSync(join(cli.home, 'state/daemon.json'), JSON.stringify(info))
    const outcomes = await Promise.all([stop(), hooks.fire('PostToolUse', toolCall('t'))])
    for (const { code, stdout, wallMs } of outcomes) {
      expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
      expect(wallMs).toBeLessThan(IN_TIME_MS)
    }
    expect(sockets).toHaveLength(1)
    expect(hooks.rows('tool-activity')).toHaveLength(2)
    lock?.release()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
})

it('a session is told how to report, and what it then reports is shown, spoken and listed', async () => {
  cli.write('settings.json', '{"voice":{"provider":"browser"},"daidentity":{"name":"Kai"}}')
  daemon = await startDaemonProcess(cli)
  const start = (fields: object) =>
    hooks.fire('SessionStart', { session_id: 's1', hook_event_name: 'SessionStart', ...fields })
  // A resumed session knows it already.
  expect((await start({ source: 'resume' })).stdout).toBe('')
  const { stdout } = await start({ source: 'startup' })
  const context = String(JSON.parse(stdout).hookSpecificOutput.additionalContext)
  expect(context).toContain('Your name is Kai.')
  const [, path = ''] = /`([^`]+SPEC\.md)`/.exec(context) ?? []

  await prompt('Please build the roof')
  const slug = join(path, '..').split('/').at(-1) ?? ''
  mkdirSync(join(path, '..'), { recursive: true })
  const write = async (phase: string) => {
    const text = `---\ntask: Roof\nphase: ${phase}\nprogress: 0/1\n---\n## Criteria\n- [ ] ISC-1: Dry\n`
    writeFileSync(path, text)
    await hooks.fire('PostToolUse', {
      session_id: 's1',
      hook_event_name: 'PostToolUse',
      tool_name: 'Write',
      tool_use_id: `w-${phase}`,
      tool_input: { file_path: path, content: text },
    })
  }
  await write('observe')
  const body = JSON.stringify({ message: 'Building the roof', phase: 'BUILD', session_id: 's1' })
  const headers = { 'content-type': 'application/json' }
  await daemon.fetch('/notify', { method: 'POST', headers, body })
  await write('verify')
  await stop()
  await ask('/api/algorithm', (view) => {
    const [session] = listOf(view, 'algorithms')
    const phases = listOf(session, 'phaseHistory').map(({ phase, source }) => `${phase} ${source}`)
    return (
      session?.sessionId === slug &&
      phases.join() === 'OBSERVE isa,BUILD voice,VERIFY isa' &&
      listOf(session, 'criteria').length === 1
    )
  })
  await ask('/api/observability/voice-events', (voice) =>
    listOf(voice, 'events').some(({ message }) => message === 'The roof is on.'),
  )
  await ask('/api/sessions/s1', (detail) => {
    const types = listOf(detail, 'events').map(({ type }) => type)
    return types.includes('turn_end') && types.includes('session_start')
  })
})
