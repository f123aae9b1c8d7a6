import { namedAgent } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { composeAgent } from '../compose/compose-agent.ts'
import { parseNamedAgent, renderNamedAgent, rosterEntryOf, slugOfAgent } from './named-agent.ts'
import { renderClaudeAgent } from './render-host-agent.ts'
import { parseSavedAgent, renderSavedAgent } from './saved-agent.ts'

const ava = {
  agent: namedAgent.parse({
    name: 'Ava Müller',
    description: 'finds things out: "all" of them',
    role: 'primary researcher',
    model: 'deep',
    voiceId: 'v-1',
    voice: { speed: 1.1 },
    tools: ['Read', 'WebSearch'],
  }),
  body: 'You are Ava.\n\n---\n\nYou grew up in a library.',
}

describe('a named agent', () => {
  it('is read as it was written', () => {
    const text = renderNamedAgent(ava)
    expect(parseNamedAgent(text, 'ava.md')).toEqual({ ok: true, value: ava })
  })

  it('survives any words in its fields and body', () => {
    const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(words, words, (description, body) => {
        const file = { agent: { ...ava.agent, description }, body: body.trim() }
        expect(parseNamedAgent(renderNamedAgent(file), 'a.md')).toEqual({ ok: true, value: file })
      }),
    )
  })

  it.each([
    ['no front matter', 'front matter'],
    ['---\nname: Ava\n---\nx', 'description: is required'],
    ['---\nname: Ava\ndescription: x\nvoiceid: y\n---\nx', 'line 4: voiceid: unknown key'],
    ['---\nname: ../x\ndescription: x\n---\nx', 'name: must begin with a letter'],
    ['---\nname: [\n---\nx', 'ava.md'],
  ])('with a mistake is refused with its name: %s', (text, said) => {
    const parsed = parseNamedAgent(text, 'ava.md')
    expect(parsed.ok ? '' : parsed.error.message).toContain(said)
  })

  it('has a file name and a place in routing', () => {
    expect(slugOfAgent(ava.agent.name)).toBe('ava-muller')
    expect(rosterEntryOf(ava.agent)).toMatchObject({ name: 'Ava Müller', tier: 'deep' })
  })

  it('becomes an agent file of the host', () => {
    const text = renderClaudeAgent(ava)
    expect(text).toContain('name: ava-muller\n')
    expect(text).toContain('tools: Read, WebSearch\nmodel: opus\n')
    expect(text).toContain('"agent":"Ava Müller"')
  })
})

describe('a saved agent', () => {
  it('comes back with its traits', () => {
    const made = composeAgent({ traits: ['creative', 'bold'], task: 'name: the "ship"' })
    if (!made.ok) throw made.error
    const text = renderSavedAgent(made.value, 'namer', '2026-01-31')
    expect(parseSavedAgent(text, 'namer.md')).toMatchObject({
      ok: true,
      value: { name: 'namer', traits: made.value.traits, task: 'name: the "ship"' },
    })
  })
})
