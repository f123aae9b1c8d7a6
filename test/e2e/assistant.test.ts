import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { API } from '@steward/contract'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { serveNtfy } from '../../packages/notify/src/channels/testing/serve-ntfy.ts'
import { type Cli, createCli } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'

let cli: Cli
const daemons: DaemonProcess[] = []
beforeEach(() => {
  cli = createCli()
})
afterEach(async () => {
  for (const daemon of daemons.splice(0)) await daemon.kill()
  cli.remove()
})

const start = async (): Promise<DaemonProcess> => {
  const daemon = await startDaemonProcess(cli, { env: { PATH: join(cli.files, 'no-programs') } })
  daemons.push(daemon)
  await vi.waitFor(async () => expect((await daemon.fetch('/assistant/health')).status).toBe(200), {
    timeout: 60_000,
  })
  return daemon
}

const within = { timeout: 60_000, interval: 50 }

test('tasks run exactly once, even if the daemon is killed when they fire', async () => {
  const push = await serveNtfy()
  onTestFinished(push.close)
  cli.write(
    'settings.json',
    JSON.stringify({
      voice: { enabled: false },
      daidentity: { name: 'Ada' },
      assistant: { timezone: 'Europe/Berlin' },
      notifications: {
        push: { enabled: true, topic: 'steward-0123456789abcdef', server: push.address },
      },
    }),
  )
  const first = await start()
  const send = async (daemon: DaemonProcess, method: string, path: string, body: unknown = {}) => {
    const response = await daemon.fetch(path, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${daemon.token()}` },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: await response.json() }
  }
  const add = async (daemon: DaemonProcess, body: object) => {
    const answer = await send(daemon, 'POST', '/assistant/tasks', body)
    expect(answer.status).toBe(200)
    return API.createTask.answer.parse(answer.body)
  }
  const historyOf = async (daemon: DaemonProcess, id: string) => {
    const response = await daemon.fetch(`/assistant/tasks/${id}/history`)
    return API.getTaskHistory.answer.parse(await response.json()).firings
  }
  const notify = (message: string) => ({ type: 'notify', message })

  // A rejected request writes nothing.
  const open = await first.fetch('/assistant/tasks', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ description: 'x', action: notify('x') }),
  })
  expect(open.status).toBe(401)
  const refused = await send(first, 'POST', '/assistant/tasks', {
    description: 'x',
    schedule: 'whenever',
    action: notify('x'),
  })
  expect(refused).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('whenever') },
  })
  const script = { description: 'x', action: { type: 'script', command: ['ls'] } }
  expect(await send(first, 'POST', '/assistant/tasks', script)).toMatchObject({ status: 400 })
  const tasksFile = join(cli.home, 'USER/ASSISTANT/tasks.yaml')
  expect(existsSync(tasksFile)).toBe(false)

  const daily = await add(first, {
    description: 'Stand-up',
    schedule: 'every weekday at 9',
    action: notify('stand up'),
  })
  expect(daily).toMatchObject({
    understood: 'every weekday (Monday to Friday) at 09:00',
    timezone: 'Europe/Berlin',
    next: { length: 3 },
  })
  const soon = await add(first, {
    description: 'Tea',
    schedule: 'in 1 second',
    action: notify('tea is ready'),
  })
  const missed = await add(first, {
    description: 'While away',
    schedule: 'in 3 seconds',
    action: notify('you were away'),
  })
  // The kill comes about when the first task fires: after its notification, during it, or before
  // it.
  await vi.waitFor(async () => expect(await historyOf(first, soon.id)).toHaveLength(1), within)
  await first.kill()
  const dueMs = Date.parse(missed.next[0] ?? '')
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(dueMs), within)

  const second = await start()
  for (const { id } of [soon, missed]) {
    await vi.waitFor(
      async () => expect(await historyOf(second, id)).toMatchObject([{ state: 'done' }]),
      within,
    )
  }
  const asked = await add(second, {
    description: 'Ask',
    action: { type: 'prompt', prompt: 'What is due? The tea is due. The mail is late.' },
  })
  await vi.waitFor(
    async () =>
      expect(await historyOf(second, asked.id)).toMatchObject([
        { state: 'done', detail: expect.stringContaining('offline-extractive') },
      ]),
    within,
  )
  // The daemon checks whether a push cut off by the kill arrived before it sends it again.
  await vi.waitFor(async () => {
    const told: { deliveries: { message: string; state: string }[] } = await (
      await second.fetch('/api/notifications')
    ).json()
    expect(told.deliveries.map(({ message, state }) => [message, state]).toSorted()).toEqual([
      ['tea is ready', 'delivered'],
      ['you were away', 'delivered'],
    ])
  }, within)
  expect(push.kept.map(({ message }) => message).toSorted()).toEqual([
    'tea is ready',
    'you were away',
  ])

  expect((await cli.run(['assistant', 'show'])).stdout).toContain('Ada')
  const listed = await cli.run(['assistant', 'tasks', '--json'])
  expect(JSON.parse(listed.stdout)).toMatchObject({ by_source: { da: 1 } })
  const added = await cli.run(['assistant', 'tasks', 'add', 'tomorrow at 14:30', 'Call', 'Bob'])
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('14:30') })
  expect(await cli.run(['assistant', 'tasks', 'cancel', daily.id])).toMatchObject({ code: 0 })
  expect(readFileSync(tasksFile, 'utf8')).toContain('status: cancelled')
  const traits = await cli.run(['assistant', 'traits', 'warmth=90'])
  expect(traits.code).toBe(0)
  const opinions = (...args: string[]) => cli.run(['assistant', 'opinions', ...args])
  expect((await opinions('add', 'tea', 'Green', 'is', 'best')).stdout).toContain('confidence 0.50')
  const evidence = await opinions('evidence', 'tea-green-is-best', 'against', 'Bob says so')
  expect(evidence.stdout).toBe('tea-green-is-best: 0 for, 1 against, confidence 0.33\n')
  rmSync(tasksFile)
  expect((await (await second.fetch('/assistant/tasks')).json()).by_source).not.toHaveProperty('da')
}, 120_000)
