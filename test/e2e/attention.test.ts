import { mkdirSync } from 'node:fs'
import { attentionEntry, isJsonObject } from '@steward/contract'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { serveTopics } from '../../packages/daemon/src/modules/attention/testing/serve-topics.ts'
import { type Cli, createCli } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'
import { createHookHome, type HookHome } from './hooks-process.ts'
import { PACKED_HOOK } from './launcher.ts'

let cli: Cli
let hooks: HookHome
let daemon: DaemonProcess
let ntfy: Awaited<ReturnType<typeof serveTopics>>

const configure = (waitSeconds: number): void => {
  cli.write(
    'settings.json',
    JSON.stringify({
      voice: { provider: 'none' },
      answers: { waitSeconds },
      notifications: {
        push: { enabled: true, topic: 'steward-0123456789', server: ntfy.address },
        thresholds: { waitingSeconds: 0 },
      },
    }),
  )
}
beforeAll(async () => {
  ntfy = await serveTopics()
  cli = createCli()
  mkdirSync(cli.home, { recursive: true })
  configure(120)
  hooks = createHookHome(PACKED_HOOK, cli.home)
  daemon = await startDaemonProcess(cli)
})
afterAll(async () => {
  await daemon.kill()
  ntfy.close()
  cli.remove()
})

const CALL = {
  session_id: 's1',
  cwd: '/home/u/proj',
  prompt_id: 'p1',
  tool_name: 'Bash',
  tool_input: { command: 'touch mark', description: 'demo' },
}
const askFor = (call: object = CALL) =>
  hooks.fire('PermissionRequest', { hook_event_name: 'PermissionRequest', ...call })

const waiting = async () => {
  const body: unknown = await (await daemon.fetch('/api/attention')).json()
  const found = isJsonObject(body) ? body.waiting : []
  const entries = attentionEntry.array().parse(found)
  return entries.filter(({ answer }) => answer.where === 'here')
}
const theRequest = () =>
  vi.waitFor(
    async () => {
      const [first] = await waiting()
      if (first === undefined) throw new Error('nothing waits')
      return first
    },
    { timeout: 60_000, interval: 50 },
  )
const answer = (id: string, body: object, token = daemon.token()) =>
  daemon.fetch(`/api/attention/${id}/answer`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const decision = (given: object) => ({
  hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: given },
})

it('is answered on the command line, once, in the exact form of the assistant', async () => {
  const hook = askFor()
  const { id, project, preview } = await theRequest()
  expect({ project, preview }).toEqual({ project: '/home/u/proj', preview: 'Bash: touch mark' })
  expect((await answer(id, { decision: 'allow' }, 'wrong')).status).toBe(401)
  const listed = await cli.run(['answer'])
  expect(listed.stdout).toContain(`answer ${id} --allow | --deny`)
  const given = await cli.run(['answer', id.slice(0, 6), '--deny', '--message', 'not here'])
  expect(given.code, given.stderr).toBe(0)
  const { stdout, code } = await hook
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual(decision({ behavior: 'deny', message: 'not here' }))
  const again = await answer(id, { decision: 'allow' })
  expect([again.status, await again.json()]).toMatchObject([409, { code: 'attention_closed' }])
})

it('survives a daemon that is killed: the hook asks the next one and gets the answer', async () => {
  const hook = askFor()
  const { id, since } = await theRequest()
  await daemon.kill()
  daemon = await startDaemonProcess(cli)
  expect(await theRequest()).toMatchObject({ id, since })
  expect((await answer(id, { decision: 'allow' })).status).toBe(200)
  expect(JSON.parse((await hook).stdout)).toEqual(decision({ behavior: 'allow' }))
})

it('is withdrawn when the terminal was first, and the late answer is refused', async () => {
  const hook = askFor()
  const { id } = await theRequest()
  await hooks.fire('PostToolUse', { ...CALL, hook_event_name: 'PostToolUse', tool_use_id: 't1' })
  expect(await hook).toMatchObject({ code: 0, stdout: '' })
  const late = await answer(id, { decision: 'allow' })
  expect(await late.json()).toMatchObject({
    code: 'attention_closed',
    error: expect.stringContaining('terminal'),
  })
})

it('is answered by the button of a push to a paired device, until it is revoked', async () => {
  const added = z
    .object({ topic: z.string() })
    .parse(await cli.json(['answer', 'devices', 'add', 'phone', '--json']))
  await expect.poll(ntfy.followers).toBe(1)
  const hook = askFor()
  const find = () => ntfy.shown.find((push) => push.topic === added.topic)
  await expect.poll(find).toBeDefined()
  const push = find()
  await ntfy.press(push, 'Allow')
  expect(JSON.parse((await hook).stdout)).toEqual(decision({ behavior: 'allow' }))
  await expect.poll(find).toBeUndefined()
  await ntfy.press(push, 'Allow')
  const events = async () => (await cli.run(['security', 'events', '--json'])).stdout
  await expect.poll(events).toContain('refused: it was used before')
  expect(await events()).toContain('allowed once by device phone')
  await cli.run(['answer', 'devices', 'revoke', 'phone'])
  await expect.poll(ntfy.followers).toBe(0)
})

it('allows nothing when nobody answers', async () => {
  configure(2)
  const hook = askFor()
  const { id } = await theRequest()
  expect(await hook).toMatchObject({ code: 0, stdout: '' })
  const late = await answer(id, { decision: 'allow' })
  expect(await late.json()).toMatchObject({
    code: 'attention_closed',
    error: expect.stringContaining('expired'),
  })
  configure(0)
  const { stdout, wallMs } = await askFor()
  expect(stdout).toBe('')
  expect(wallMs).toBeLessThan(10_000)
})
