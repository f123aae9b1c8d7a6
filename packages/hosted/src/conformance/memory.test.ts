import type Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLIENT_VERSIONS } from './testing/client-versions.ts'
import { isTurnEnd, makeScripted, say, sendAndRead } from './testing/follow.ts'
import { connect, startWorld, type World } from './testing/start-world.ts'

let world: World
let client: Anthropic
let faults: string[]
beforeAll(async () => {
  world = await startWorld()
  const [newest] = CLIENT_VERSIONS
  if (newest === undefined) throw new Error('no client')
  const connected = await connect(world, newest)
  client = connected.client
  faults = connected.faults
})
afterAll(async () => {
  expect(faults).toEqual([])
  expect(world.failures).toEqual([])
  await world.stop()
})

const write = (memory_store_id: string, path: string, content: string) =>
  client.beta.memoryStores.memories.create(memory_store_id, { path, content })

/** Runs commands in a session with a store, one call each, and returns what the model was told. */
const runWith = async (
  memory_store_id: string,
  commands: readonly string[],
  access: 'read_write' | 'read_only' = 'read_write',
) => {
  const calls = commands.map((command) => ({ calls: [{ name: 'bash', input: { command } }] }))
  const { session, asked } = await makeScripted(world, client, [...calls, { says: 'Done.' }], {
    tools: [{ type: 'agent_toolset_20260401' }],
    session: {
      resources: [
        { type: 'memory_store', memory_store_id, access, instructions: 'Read likes.md first.' },
      ],
    },
  })
  await sendAndRead(client, session.id, [say('go')], isTurnEnd)
  const requests = asked()
  return {
    session,
    system: JSON.stringify(requests[0]?.system),
    heard: requests.slice(1).map(({ messages }) => JSON.stringify(messages.at(-1))),
  }
}

const contentsOf = async (store: string) => {
  const { data } = await client.beta.memoryStores.memories.list(store, { view: 'full' })
  return data.map((item) => (item.type === 'memory' ? [item.path, item.content] : []))
}

test('a session reads and writes a store as a folder, and each change is one version', async () => {
  const { id } = await client.beta.memoryStores.create({
    name: 'User Preferences',
    description: 'What Ada likes.',
  })
  await write(id, '/likes.md', 'tea')
  await write(id, '/old/gone.md', 'x')
  const place = '/mnt/memory/user-preferences'
  const { session, system, heard } = await runWith(id, [
    `cat ${place}/likes.md`,
    `echo coffee > ${place}/likes.md; mkdir ${place}/new; echo -n deep > ${place}/new/er.md; rm -r ${place}/old`,
    `head -c 200000 /dev/zero | tr '\\0' x > ${place}/large.txt; ln -s /etc/passwd ${place}/link`,
    'true',
  ])
  expect(session.resources).toMatchObject([
    {
      type: 'memory_store',
      memory_store_id: id,
      mount_path: place,
      description: 'What Ada likes.',
    },
  ])
  expect(system).toContain(`${place}: your memory`)
  expect(system).toContain('What Ada likes. Read likes.md first.')
  expect(heard[0]).toContain('tea')
  expect(heard[2]).toContain('large.txt was not saved: it has more than 102400 bytes')
  expect(heard[3]).not.toContain('was not saved')
  expect(await contentsOf(id)).toEqual([
    ['/likes.md', 'coffee\n'],
    ['/new/er.md', 'deep'],
  ])
  const { data } = await client.beta.memoryStores.memoryVersions.list(id, {
    session_id: session.id,
  })
  expect(data.map(({ operation, path }) => `${operation} ${path}`).toSorted()).toEqual([
    'created /new/er.md',
    'deleted /old/gone.md',
    'modified /likes.md',
  ])
  const listed = await client.beta.sessions.list({ memory_store_id: id })
  expect(listed.data.map((each) => each.id)).toEqual([session.id])
})

test('a read-only store cannot be written', async () => {
  const { id } = await client.beta.memoryStores.create({ name: 'Facts' })
  await write(id, '/a/fact.md', 'water is wet')
  const { heard, system } = await runWith(
    id,
    ['cat /mnt/memory/facts/a/fact.md; echo no > /mnt/memory/facts/a/fact.md'],
    'read_only',
  )
  expect(system).toContain('(read-only)')
  expect(heard[0]).toMatch(/water is wet.*Read-only file system/)
  expect(await contentsOf(id)).toEqual([['/a/fact.md', 'water is wet']])
})

test('refuses stores that do not exist or are archived', async () => {
  const { id } = await client.beta.memoryStores.create({ name: 'Old' })
  await client.beta.memoryStores.archive(id)
  await expect(runWith(id, [])).rejects.toMatchObject({ status: 409 })
  await expect(runWith('memstore_none', [])).rejects.toMatchObject({ status: 400 })
})
