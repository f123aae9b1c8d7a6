import { toFile } from '@anthropic-ai/sdk'
import { expect, test, vi } from 'vitest'
import { isTurnEnd, say, sendAndRead, textsOf } from './testing/follow.ts'
import { bash, pollUntilIdle, startRecipes } from './testing/start-recipes.ts'

// The scenarios of the vendor's quickstart and recipes, as a reader would program them.

const TOOLSET = { type: 'agent_toolset_20260401' as const }

const recipes = await startRecipes()
const { client, environment_id, world } = recipes

test('quickstart: an agent writes a program, runs it and reports', async () => {
  const agent = await client.beta.agents.create({
    name: 'Coding assistant',
    model: 'claude-opus-4-6',
    system: world.model.script(
      {
        calls: [
          {
            name: 'write',
            input: {
              file_path: '/workspace/fib.sh',
              content: 'a=0; b=1\nfor _ in $(seq 20); do echo $a; c=$((a+b)); a=$b; b=$c; done\n',
            },
          },
        ],
      },
      bash('bash fib.sh > fibonacci.txt; tail -1 fibonacci.txt'),
      { says: 'The twentieth number is 4181.' },
    ),
    tools: [TOOLSET],
  })
  const session = await client.beta.sessions.create({
    agent: agent.id,
    environment_id,
    title: 'Quickstart session',
  })
  const seen = await sendAndRead(
    client,
    session.id,
    [say('Write the first 20 Fibonacci numbers to fibonacci.txt')],
    isTurnEnd,
  )
  const uses = seen.flatMap((event) => (event.type === 'agent.tool_use' ? [event.name] : []))
  expect(uses).toEqual(['write', 'bash'])
  const results = JSON.stringify(seen.filter(({ type }) => type === 'agent.tool_result'))
  expect(results).toContain('4181')
  expect(textsOf(seen)).toEqual(['The twentieth number is 4181.'])
})

test('data analyst: an uploaded table becomes a report that is downloaded', async () => {
  const file = await client.beta.files.upload({
    file: await toFile(Buffer.from('city,rain\nCork,9\nBergen,22\n'), 'rain.csv', {
      type: 'text/csv',
    }),
  })
  const agent = await client.beta.agents.create({
    name: 'Data analyst',
    model: 'claude-opus-4-6',
    system: world.model.script(
      bash(
        'mkdir -p /mnt/session/outputs/charts && sort -t, -k2 -nr /workspace/rain.csv | head -1 > /mnt/session/outputs/charts/wettest.txt',
      ),
      { says: 'Bergen.' },
    ),
    tools: [TOOLSET],
  })
  const session = await client.beta.sessions.create({
    agent: agent.id,
    environment_id,
    resources: [{ type: 'file', file_id: file.id, mount_path: '/workspace/rain.csv' }],
  })
  await sendAndRead(client, session.id, [say('Which city is wettest?')], isTurnEnd)
  const outputs = (await client.beta.files.list({ scope_id: session.id })).data
  expect(outputs.map(({ filename }) => filename)).toEqual(['charts/wettest.txt'])
  const content = await client.beta.files.download(outputs[0]?.id ?? '')
  expect(await content.text()).toBe('Bergen,22\n')
})

test('assistant with memory: what one session learns, the next one knows', async () => {
  const store = await client.beta.memoryStores.create({ name: 'Preferences' })
  const remember = async (...lines: Parameters<typeof world.model.script>) => {
    const agent = await client.beta.agents.create({
      name: 'Assistant',
      model: 'claude-opus-4-6',
      system: world.model.script(...lines),
      tools: [TOOLSET],
    })
    const session = await client.beta.sessions.create({
      agent: agent.id,
      environment_id,
      resources: [{ type: 'memory_store', memory_store_id: store.id, access: 'read_write' }],
    })
    return sendAndRead(client, session.id, [say('hello')], isTurnEnd)
  }
  await remember(bash('echo "Ada drinks tea." > /mnt/memory/preferences/ada.md'), {
    says: 'Noted.',
  })
  const later = await remember(bash('cat /mnt/memory/preferences/*.md'), { says: 'Tea?' })
  expect(JSON.stringify(later)).toContain('Ada drinks tea.')
  const { data } = await client.beta.memoryStores.memoryVersions.list(store.id)
  expect(data.map(({ operation }) => operation)).toEqual(['created'])
})

test('research: an agent gives parts of a question to copies of itself', async () => {
  const system = world.model.script(
    {
      calls: ['tides', 'winds'].map((part) => ({
        name: 'send_to_agent',
        input: { agent: 'Researcher', message: `Research the ${part}.` },
      })),
    },
    { says: 'Understood.' },
  )
  const agent = await client.beta.agents.create({
    name: 'Researcher',
    description: 'Researches one question.',
    model: 'claude-opus-4-6',
    system,
    tools: [TOOLSET],
    multiagent: { type: 'coordinator', agents: [{ type: 'self' }] },
  })
  const session = await client.beta.sessions.create({ agent: agent.id, environment_id })
  const seen = await sendAndRead(client, session.id, [say('Compare tides and winds.')], isTurnEnd)
  const reports = seen.filter(({ type }) => type === 'agent.thread_message_received')
  expect(reports).toHaveLength(2)
  const threads = (await client.beta.sessions.threads.list(session.id)).data
  expect(threads.map(({ agent: { type } }) => type)).toEqual(['agent', 'agent', 'agent'])
  // Copies cannot delegate any further.
  const ofCopies = world.model
    .askedBy(system)
    .filter(({ messages }) => JSON.stringify(messages[0]).includes('coordinator'))
  expect(ofCopies).toHaveLength(2)
  for (const request of ofCopies)
    expect(JSON.stringify(request.tools)).not.toContain('send_to_agent')
})

test('wrapper: another program lists agents, starts a session, interrupts it and reads on', async () => {
  const system = world.model.script({ begins: 'I think' }, { says: 'Short answer.' })
  const agent = await client.beta.agents.create({
    name: 'Thinker',
    model: 'claude-opus-4-6',
    system,
  })
  const names: string[] = []
  for await (const { name } of client.beta.agents.list()) names.push(name)
  expect(names).toContain('Thinker')
  const session = await client.beta.sessions.create({ agent: agent.id, environment_id })
  await client.beta.sessions.events.send(session.id, { events: [say('Think.')] })
  await vi.waitFor(() => expect(world.model.askedBy(system)).toHaveLength(1), { timeout: 25_000 })
  await client.beta.sessions.events.send(session.id, { events: [{ type: 'user.interrupt' }] })
  const { events } = await pollUntilIdle(client, session.id)
  const last = events.at(-1)?.id
  expect(textsOf(await sendAndRead(client, session.id, [say('Be brief.')], isTurnEnd))).toEqual([
    'Short answer.',
  ])
  const later: string[] = []
  let isNew = false
  for await (const { id, type } of client.beta.sessions.events.list(session.id)) {
    if (isNew) later.push(type)
    if (id === last) isNew = true
  }
  expect(later[0]).toBe('user.message')
  expect(later.at(-1)).toBe('session.status_idle')
})
