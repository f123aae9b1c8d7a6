import { mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { CLIENT_VERSIONS } from './testing/client-versions.ts'
import { isTurnEnd, isWaiting, makeScripted, readUntil, say, textsOf } from './testing/follow.ts'
import type { Line } from './testing/scripted-messages.ts'
import { connect, startWorld, type World } from './testing/start-world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(async () => {
  expect(world.failures).toEqual([])
  await world.stop()
})

/** Long enough for a loaded machine. */
const WAIT = { timeout: 25_000, interval: 20 }
/** How long a worker keeps a session after its turn ended. */
const SHORT_IDLE_MS = 200

const call = (name: string, input: Record<string, unknown>): Line => ({ calls: [{ name, input }] })

const makeSelfHosted = async (client: Anthropic, lines: readonly Line[]) => {
  const made = await makeScripted(world, client, lines, {
    config: { type: 'self_hosted' },
    tools: [
      {
        type: 'agent_toolset_20260401',
        configs: [{ name: 'edit', permission_policy: { type: 'always_ask' } }],
      },
    ],
  })
  const environmentId = made.environment.id
  const environmentKey = await world.makeKey({ scope: 'environment', environmentId })
  const workdir = await mkdtemp(join(world.folder, 'worker-'))
  return { ...made, environmentId, environmentKey, workdir }
}

describe.each(CLIENT_VERSIONS.filter(({ hasWork }) => hasWork))(
  'the own worker of client $version',
  (version) => {
    let client: Anthropic
    let faults: string[]
    beforeAll(async () => {
      const connected = await connect(world, version)
      client = connected.client
      faults = connected.faults
    })
    afterAll(() => expect(faults).toEqual([]))

    const workOf = async (environmentId: string) =>
      (await client.beta.environments.work.list(environmentId)).data

    test('runs a session with its real tools, and returns for the next message', async () => {
      const file_path = 'made.txt'
      const { session, asked, environmentId, environmentKey, workdir } = await makeSelfHosted(
        client,
        [
          call('bash', { command: 'export WORD=kept; echo first line > made.txt' }),
          {
            calls: [
              { name: 'bash', input: { command: 'echo $WORD' } },
              { name: 'read', input: { file_path } },
              { name: 'glob', input: { pattern: '*.txt' } },
              { name: 'grep', input: { pattern: 'first' } },
            ],
          },
          call('edit', { file_path, old_string: 'first', new_string: 'changed' }),
          call('read', { file_path: '/etc/hostname' }),
          { says: 'Finished.' },
          call('write', { file_path: 'deep/later.txt', content: 'later' }),
          { says: 'Finished again.' },
        ],
      )
      const stop = new AbortController()
      const running = client.beta.environments.work
        .worker({ environmentId, environmentKey, workdir, maxIdleMs: SHORT_IDLE_MS })
        .run(stop.signal)
      const { events } = client.beta.sessions
      const stream = await events.stream(session.id)
      const confirming = await events.stream(session.id)
      await events.send(session.id, { events: [say('go')] })
      let edit = ''
      await readUntil(confirming, (event) => {
        if (event.type === 'agent.tool_use' && event.name === 'edit') edit = event.id
        return edit !== '' && isWaiting(event)
      })
      await events.send(session.id, {
        events: [{ type: 'user.tool_confirmation', tool_use_id: edit, result: 'allow' }],
      })
      expect(textsOf(await readUntil(stream, isTurnEnd))).toEqual(['Finished.'])
      expect(await readFile(join(workdir, file_path), 'utf8')).toBe('changed line\n')
      const heard = asked().map(({ messages }) => JSON.stringify(messages.at(-1)))
      expect(heard[2]).toMatch(/kept.*first line.*made\.txt.*first line/)
      // The agent may not read files outside its folder.
      expect(heard[4]).toContain('"is_error":true')
      await vi.waitFor(async () => {
        expect(await workOf(environmentId)).toMatchObject([{ state: 'stopped' }])
      }, WAIT)

      const again = await events.stream(session.id)
      await events.send(session.id, { events: [say('once more')] })
      expect(textsOf(await readUntil(again, isTurnEnd))).toEqual(['Finished again.'])
      expect(await readFile(join(workdir, 'deep', 'later.txt'), 'utf8')).toBe('later')
      await vi.waitFor(async () => {
        expect((await workOf(environmentId)).map(({ state }) => state)).toEqual([
          'stopped',
          'stopped',
        ])
      }, WAIT)
      stop.abort()
      await running
    })

    test('takes one item that its poller claimed, with only the secret of the item', async () => {
      const { session, environmentId, environmentKey, workdir } = await makeSelfHosted(client, [
        call('bash', { command: 'echo by hand > made.txt' }),
        { says: 'Done.' },
      ])
      const { work } = client.beta.environments
      const { events } = client.beta.sessions
      const stream = await events.stream(session.id)
      await events.send(session.id, { events: [say('go')] })
      const taken: string[] = []
      const poller = work.poller({ environmentId, environmentKey, drain: true, autoStop: false })
      for await (const item of poller) {
        taken.push(item.data.id)
        await work.worker({ workdir, maxIdleMs: SHORT_IDLE_MS }).handleItem({
          workId: item.id,
          environmentId,
          sessionId: item.data.id,
          workSecret: item.secret ?? '',
        })
      }
      expect(taken).toEqual([session.id])
      expect(textsOf(await readUntil(stream, isTurnEnd))).toEqual(['Done.'])
      expect(await readFile(join(workdir, 'made.txt'), 'utf8')).toBe('by hand\n')
      expect(await workOf(environmentId)).toMatchObject([{ state: 'stopped' }])
    })
  },
)
