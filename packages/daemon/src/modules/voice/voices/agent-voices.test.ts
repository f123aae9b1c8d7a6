import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settings } from '@steward/contract'
import { resolveHome } from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withAgentVoices } from './agent-voices.ts'
import { resolveVoice } from './resolve-voice.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-voices-'))
  mkdirSync(join(root, 'USER', 'AGENTS'), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const speak = async (manner: object, voices: object) => {
  const { daidentity, voice } = settings.parse({ daidentity: { voices } })
  const problems: string[] = []
  const home = resolveHome({ STEWARD_HOME: root })
  const known = await withAgentVoices(home, daidentity, (problem) => problems.push(problem))
  return { ...resolveVoice(manner, { daidentity: known, voice }), problems }
}
const addAgent = (fields: string) =>
  writeFileSync(
    join(root, 'USER', 'AGENTS', 'ava.md'),
    `---\nname: Ava\ndescription: x\n${fields}\n---\nYou are Ava.\n`,
  )

describe('voices of agents', () => {
  it('are those of their files', async () => {
    addAgent('voiceId: v-17\nvoice: { speed: 1.1 }\naliases: [The Finder]')
    expect(await speak({ agent: 'ava' }, {})).toMatchObject({
      id: 'v-17',
      settings: { speed: 1.1 },
    })
    expect((await speak({ agent: 'the finder' }, {})).id).toBe('v-17')
  })

  it('may refer to another voice by name', async () => {
    addAgent('voiceId: gravelly')
    const voices = { gravelly: { voiceId: 'g-1' }, main: { voiceId: 'm-1' } }
    expect((await speak({ agent: 'Ava' }, voices)).id).toBe('g-1')
  })

  it('of the settings win', async () => {
    addAgent('voiceId: v-17')
    expect((await speak({ agent: 'Ava' }, { ava: { voiceId: 's-1' } })).id).toBe('s-1')
  })

  it('unknown to providers are the main voice in another manner', async () => {
    const spoken = await speak({ voice_id: 'gravelly' }, { main: { voiceId: 'm-1' } })
    expect(spoken).toMatchObject({ id: 'm-1', settings: { speed: 0.92 } })
  })

  it('of a broken file are reported as broken', async () => {
    addAgent('voiceid: x')
    const spoken = await speak({ agent: 'Ava' }, { main: { voiceId: 'm-1' } })
    expect(spoken.id).toBe('m-1')
    expect(spoken.problems.join()).toContain('voiceid: unknown key')
  })
})
