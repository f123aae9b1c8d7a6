import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BadRequestError, NotFoundError } from '@anthropic-ai/sdk'
import { HOSTED_LIMITS } from '@steward/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../serve/testing/start-test-api.ts'
import { makeSession } from '../sessions/testing/make-session.ts'
import { skillFiles } from './testing/skill-files.ts'

let server: TestApi
let skills: TestApi['client']['beta']['skills']
beforeAll(async () => {
  server = await startTestApi()
  skills = server.client.beta.skills
})
afterAll(() => server.stop())

test('has versions, of which the newest is the latest', async () => {
  const skill = await skills.create({ files: skillFiles('pdf-forms', 'Fills forms.') })
  expect(skill).toMatchObject({
    type: 'skill',
    display_name: 'pdf-forms',
    source: { type: 'custom' },
  })
  const first = await skills.versions.retrieve('latest', { skill_id: skill.id })
  expect(first).toMatchObject({
    id: skill.latest_version_id,
    name: 'pdf-forms',
    description: 'Fills forms.',
    skill_id: skill.id,
  })
  server.clock.nowMs += 1000
  const second = await skills.versions.create(skill.id, {
    files: skillFiles('pdf-forms', '>-\n  Fills forms\n  and signs them.'),
  })
  expect(second.description).toBe('Fills forms and signs them.')
  const now = await skills.retrieve(skill.id)
  expect(now.latest_version_id).toBe(second.id)
  expect(Date.parse(now.updated_at)).toBe(server.clock.nowMs)
  const versions: string[] = []
  for await (const version of skills.versions.list(skill.id, { limit: 1 }))
    versions.push(version.id)
  expect(versions).toEqual([second.id, first.id])

  expect(await skills.versions.delete(second.id, { skill_id: skill.id })).toMatchObject({
    id: second.id,
    type: 'skill_version_deleted',
  })
  expect((await skills.retrieve(skill.id)).latest_version_id).toBe(first.id)
  await expect(skills.versions.delete(first.id, { skill_id: skill.id })).rejects.toThrow(
    'delete the skill instead',
  )
  expect(await skills.delete(skill.id)).toMatchObject({ type: 'skill_deleted' })
  await expect(skills.retrieve(skill.id)).rejects.toBeInstanceOf(NotFoundError)
  await expect(skills.versions.retrieve(first.id, { skill_id: skill.id })).rejects.toBeInstanceOf(
    NotFoundError,
  )
})

test('is listed newest first, by its source', async () => {
  const made: string[] = []
  for (const name of ['one', 'two', 'three']) {
    server.clock.nowMs += 1
    const files = skillFiles(name, 'Listed.')
    made.unshift((await skills.create({ files, display_name: `Skill ${name}` })).id)
  }
  const listed: string[] = []
  for await (const skill of skills.list({ limit: 2, source: 'custom' })) listed.push(skill.id)
  expect(listed.slice(0, 3)).toEqual(made)
  expect((await skills.list({ source: 'anthropic' })).data).toEqual([])
  expect(await skills.retrieve(made[0] ?? '')).toMatchObject({ display_name: 'Skill three' })
})

test('is downloaded as an archive of its folder', async () => {
  const script = '#!/bin/sh\necho ran\n'
  const { id } = await skills.create({
    files: skillFiles('räume', 'Named by its folder.', { 'scripts/größe.sh': script }).concat(
      new File([new Uint8Array(300_000)], 'räume/zeros.bin'),
    ),
  })
  const response = await skills.versions.download('latest', { skill_id: id })
  const folder = await mkdtemp(join(tmpdir(), 'steward-skill-'))
  await writeFile(join(folder, 'a.zip'), new Uint8Array(await response.arrayBuffer()))
  await promisify(execFile)('unzip', ['-q', 'a.zip'], { cwd: folder })
  const path = join(folder, 'r-ume', 'scripts', 'größe.sh')
  expect(await readFile(path, 'utf8')).toBe(script)
  expect((await stat(path)).mode & 0o777).toBe(0o755)
  expect((await stat(join(folder, 'r-ume', 'zeros.bin'))).size).toBe(300_000)
  await rm(folder, { recursive: true })
})

test.each([
  ['no files', []],
  ['no SKILL.md', [new File(['x'], 'a/README.md')]],
  ['neither folder nor name', [new File(['---\ndescription: b\n---\n'], 'SKILL.md')]],
  ['two folders', [...skillFiles('a', 'b'), new File(['x'], 'other/x.txt')]],
  ['a path that leads out', [...skillFiles('a', 'b'), new File(['x'], 'a/../../x')]],
  ['the same file twice', [...skillFiles('a', 'b'), ...skillFiles('a', 'b')]],
  ['a file below a file', skillFiles('a', 'b', { x: '1', 'x/y': '2' })],
  ['no front matter', [new File(['# Title'], 'a/SKILL.md')]],
  ['no description', [new File(['---\nname: a\n---\n'], 'a/SKILL.md')]],
  ['a description that is too long', skillFiles('a', 'x'.repeat(1025))],
  ['a name without letters', [new File(['---\nname: "!"\ndescription: b\n---\n'], 'a/SKILL.md')]],
  ['broken YAML', [new File(['---\nname: [a\n---\n'], 'a/SKILL.md')]],
  ['bytes that are no text', [new File([new Uint8Array([0xff])], 'a/SKILL.md')]],
])('refuses an upload with %s', async (_, files) => {
  await expect(skills.create({ files })).rejects.toMatchObject({ status: 400 })
})

test('refuses uploads that are too large, and another name in a later version', async () => {
  const large = new File([new Uint8Array(HOSTED_LIMITS.skillBytes)], 'a/large.bin')
  await expect(skills.create({ files: [...skillFiles('a', 'b'), large] })).rejects.toMatchObject({
    status: 400,
  })
  const { id } = await skills.create({ files: skillFiles('named', 'b') })
  await expect(skills.versions.create(id, { files: skillFiles('renamed', 'b') })).rejects.toThrow(
    'the skill is named named',
  )
})

test('of an agent must exist; a session keeps the version of its start', async () => {
  const { agents } = server.client.beta
  const create = (skill_id: string, type: 'custom' | 'anthropic' = 'custom') =>
    agents.create({ name: 'A', model: 'claude-opus-4-6', skills: [{ type, skill_id }] })
  await expect(create('skill_none')).rejects.toBeInstanceOf(BadRequestError)
  await expect(create('xlsx', 'anthropic')).rejects.toThrow('not available here')
  const skill = await skills.create({ files: skillFiles('pinned', 'First.') })
  const agent = await create(skill.id)
  expect(agent.skills).toMatchObject([{ skill_id: skill.id, version: 'latest' }])
  const session = await makeSession(server, { agent: agent.id })
  const [pinned] = session.agent.skills
  expect(pinned?.version).toBe(skill.latest_version_id)
  await skills.versions.create(skill.id, { files: skillFiles('pinned', 'Second.') })
  const later = await makeSession(server, { agent: agent.id })
  expect(later.agent.skills[0]?.version).not.toBe(skill.latest_version_id)
  expect((await server.client.beta.sessions.retrieve(session.id)).agent.skills).toEqual([pinned])
  const other = await skills.create({ files: skillFiles('pinned', 'Same name.') })
  await expect(
    agents
      .update(agent.id, {
        version: 1,
        skills: [skill.id, other.id].map((skill_id) => ({ type: 'custom' as const, skill_id })),
      })
      .then(({ id }) => makeSession(server, { agent: id })),
  ).rejects.toThrow('two skills are named pinned')
  await skills.delete(skill.id)
  await expect(makeSession(server, { agent: agent.id })).rejects.toBeInstanceOf(BadRequestError)
  expect((await agents.update(agent.id, { version: 1, name: 'B' })).name).toBe('B')
  expect(server.failures).toEqual([])
})
