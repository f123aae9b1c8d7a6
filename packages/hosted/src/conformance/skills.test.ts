import { mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { skillFiles } from '../skills/testing/skill-files.ts'
import { CLIENT_VERSIONS } from './testing/client-versions.ts'
import { isTurnEnd, makeScripted, readUntil, say, sendAndRead, textsOf } from './testing/follow.ts'
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

const SCRIPT = '#!/bin/sh\necho "counted $(wc -l < "$1") lines"\n'
const READ = 'cat skills/count-lines/SKILL.md; printf "a\\nb\\n" > x; skills/count-lines/run.sh x'

const makeSkill = () =>
  client.beta.skills.create({
    files: skillFiles('count-lines', 'Counts lines of text files.', { 'run.sh': SCRIPT }),
  })

test('a skill is announced by name and description, and its files are in the workspace', async () => {
  const skill = await makeSkill()
  const { session, asked } = await makeScripted(
    world,
    client,
    [{ calls: [{ name: 'bash', input: { command: READ } }] }, { says: 'Done.' }],
    {
      tools: [{ type: 'agent_toolset_20260401' }],
      skills: [{ type: 'custom', skill_id: skill.id }],
    },
  )
  // What a session announced stays as it was.
  await client.beta.skills.versions.create(skill.id, {
    files: skillFiles('count-lines', 'Never announced.'),
  })
  expect(textsOf(await sendAndRead(client, session.id, [say('count')], isTurnEnd))).toEqual([
    'Done.',
  ])
  const [first, second] = asked()
  const announced = JSON.stringify(first?.system)
  expect(announced).toContain('/workspace/skills/count-lines/SKILL.md: Counts lines of text files.')
  expect(announced).not.toContain('# count-lines')
  expect(JSON.stringify(second?.messages.at(-1))).toMatch(/# count-lines.*counted 2 lines/s)
})

test("the client's own worker gets the skills of its session", async () => {
  const skill = await makeSkill()
  const { session, environment, asked } = await makeScripted(
    world,
    client,
    [{ calls: [{ name: 'bash', input: { command: READ } }] }, { says: 'Done.' }],
    {
      config: { type: 'self_hosted' },
      tools: [{ type: 'agent_toolset_20260401' }],
      skills: [{ type: 'custom', skill_id: skill.id, version: skill.latest_version_id }],
    },
  )
  const environmentId = environment.id
  const environmentKey = await world.makeKey({ scope: 'environment', environmentId })
  const workdir = await mkdtemp(join(world.folder, 'worker-'))
  const stop = new AbortController()
  const running = client.beta.environments.work
    .worker({ environmentId, environmentKey, workdir, maxIdleMs: 200 })
    .run(stop.signal)
  const stream = await client.beta.sessions.events.stream(session.id)
  await client.beta.sessions.events.send(session.id, { events: [say('count')] })
  expect(textsOf(await readUntil(stream, isTurnEnd))).toEqual(['Done.'])
  const [first, second] = asked()
  expect(JSON.stringify(first?.system)).toContain('- skills/count-lines/SKILL.md: Counts lines')
  expect(JSON.stringify(second?.messages.at(-1))).toMatch(/# count-lines.*counted 2 lines/s)
  stop.abort()
  await running
  expect(await readdir(workdir)).toContain('x')
})
