import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePipelineYaml } from './parse-pipeline.ts'
import { parsePipelineMarkdown } from './parse-pipeline-markdown.ts'

const errorOf = (text: string): string => {
  const parsed = parsePipelineYaml(text, 'p.yaml')
  return parsed.ok ? 'no error' : parsed.error.message
}

describe('YAML', () => {
  it('parses a pipeline', () => {
    const parsed = parsePipelineYaml(
      'name: P_LABEL_AND_RATE\ndescription: Labels.\nactions:\n  - A_EXTRACT_TRANSCRIPT\n  - A_LABEL_AND_RATE\n',
      'p.yaml',
    )
    expect(parsed).toMatchObject({
      ok: true,
      value: {
        warnings: [],
        definition: {
          name: 'P_LABEL_AND_RATE',
          actions: ['A_EXTRACT_TRANSCRIPT', 'A_LABEL_AND_RATE'],
          version: '1.0.0',
        },
      },
    })
  })

  it('reports both of two mistakes, each with its line', () => {
    const message = errorOf(
      'name: P_bad\ndescription: Fine.\nactions:\n  - A_COUNT_WORDS\n  - count\n',
    )
    expect(message).toMatch(/^p\.yaml: line 1: name: P_bad .*P_BAD/)
    expect(message).toMatch(/; line 5: actions\[1\]: count is not a valid name/)
    const two = errorOf('name: P_GOOD\ndescription: 5\nactions: text\n')
    expect(two).toMatch(/line 2: description: .*; line 3: actions: /)
  })

  it('reports every invalid action, including a pipeline inside a pipeline', () => {
    const message = errorOf(
      'name: P_LOOP\ndescription: Round.\nactions:\n  - A_COUNT_WORDS\n  - P_LOOP\n  - count\n',
    )
    expect(message).toMatch(
      /line 5: actions\[1\]: P_LOOP is not an action.*line 6: actions\[2\]: count/,
    )
  })

  it('gives the lines of syntax errors and duplicate keys', () => {
    expect(errorOf('name: P_X\nname: P_Y\nactions: [\n')).toMatch(/line 2: .*unique.*line \d+: /s)
  })

  it('warns about a single action, and still runs it', () => {
    const parsed = parsePipelineYaml(
      'name: P_ONE\ndescription: One.\nactions: [A_COUNT_WORDS]\n',
      'p.yaml',
    )
    expect(parsed).toMatchObject({
      ok: true,
      value: { warnings: [expect.stringContaining('two or more steps')] },
    })
  })

  it('parses every kind of step', () => {
    const text = `name: P_ALL_KINDS
description: All.
input: { language: { type: string, default: en } }
actions:
  - A_EXTRACT_ARTICLE
  - when: content.size() > 800
  - action: A_ASK_MODEL
    with: { prompt: "In {language}?", schema: { relevant: boolean } }
    retry: { attempts: 3 }
    onError: A_GIVE_LABEL
  - parallel:
      - [A_SUMMARIZE]
      - [A_LABEL_AND_RATE, when: relevant]
  - each: links
    do: [A_FETCH_TITLE]
    max: 20
`
    const parsed = parsePipelineYaml(text, 'p.yaml')
    expect(parsed).toMatchObject({ ok: true, value: { warnings: [] } })
    expect(parsed.ok && parsed.value.definition.actions.slice(3)).toEqual([
      { parallel: [['A_SUMMARIZE'], ['A_LABEL_AND_RATE', { when: 'relevant' }]] },
      { each: 'links', do: ['A_FETCH_TITLE'], max: 20 },
    ])
  })

  it('reports mistakes inside steps with line and nearest name', () => {
    const message = errorOf(`name: P_BAD_STEPS
description: Bad.
inputs: {}
actions:
  - action: A_ASK_MODEL
    wiht: { prompt: x }
  - when: rating >
  - parallel:
      - [A_SUMMARIZE, P_OTHER]
      - - each: links
          do: [{ when: 'a.matches("b")' }]
          maxx: 3
  - { action: A_ASK_MODEL, retry: { attempts: 99, delay: soon }, onError: nope }
  - 5
  - {}
`)
    expect(message.split('; line ')).toEqual([
      'p.yaml: line 3: inputs: unknown key (did you mean input?)',
      '6: actions[0].wiht: unknown key (did you mean with?)',
      expect.stringMatching(/^9: actions\[2\]\.parallel\[0\]\[1\]: P_OTHER is not an action; a/),
      '12: actions[2].parallel[1][0].maxx: unknown key (did you mean max?)',
      '13: actions[3].retry.attempts: must be at most 10, found 99',
      '13: actions[3].retry.delay: must be a duration such as 10s or 5m',
      expect.stringMatching(/^13: actions\[3\]\.onError: nope is not a valid name/),
      '14: actions[4]: must be the name of an action or an object',
      '15: actions[5].action: is required (a string)',
      expect.stringMatching(/^7: actions\[1\]\.when: unexpected token.* at character 9/),
      '11: actions[2].parallel[1][0].do[0].when: matches is not available; use contains, startsWith or endsWith',
    ])
  })

  it('refuses steps that nest too deep', () => {
    const deep = `${'{parallel: [['.repeat(40)}A_ONE_X${']]}'.repeat(40)}`
    expect(errorOf(`name: P_DEEP\ndescription: D.\nactions: [${deep}]\n`)).toContain(
      'nests deeper than 8 levels',
    )
  })

  it('expands no aliases', () => {
    expect(errorOf('a: &a [x, x]\nb: [*a, *a]\nname: P_X\n')).toMatch(/p\.yaml: /)
  })

  it('never throws, whatever the text', () => {
    fc.assert(fc.property(fc.string(), (text) => void parsePipelineYaml(text, 'p.yaml')))
  })
})

const markdown = `# Summarize article

**Purpose:** Make an article short.
**Domain:** Reading
**Version:** 1.2.0

## Overview

| Step | Action | Purpose |
|------|--------|---------|
| 2 | \`A_FORMAT_MARKDOWN\` | format |
| 1 | A_EXTRACT_ARTICLE | read |
`

describe('PIPELINE.md', () => {
  it('parses title, purpose, domain, version and the table in step order', () => {
    expect(
      parsePipelineMarkdown(markdown, 'PIPELINE.md', 'Reading_Summarize-Article'),
    ).toMatchObject({
      ok: true,
      value: {
        definition: {
          name: 'P_SUMMARIZE_ARTICLE',
          description: 'Make an article short.',
          domain: 'Reading',
          version: '1.2.0',
          actions: ['A_EXTRACT_ARTICLE', 'A_FORMAT_MARKDOWN'],
        },
      },
    })
  })

  it('prefers a name in the title, and reads entries below headings', () => {
    const text = markdown
      .replace('Summarize article', 'P_SHORTEN')
      .replace('**Purpose:** ', '## Purpose\n\n')
    expect(parsePipelineMarkdown(text, 'f', 'Reading_Other')).toMatchObject({
      ok: true,
      value: { definition: { name: 'P_SHORTEN', description: 'Make an article short.' } },
    })
  })

  it('reports everything that is missing', () => {
    const parsed = parsePipelineMarkdown('no title', 'PIPELINE.md', 'X_Y')
    expect(parsed.ok ? '' : parsed.error.message).toMatch(/title.*Purpose.*overview table/)
  })

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        (text, folder) => void parsePipelineMarkdown(text, 'f', folder),
      ),
    )
  })
})

it('reads hostile Markdown in a bounded time', () => {
  // Quadratic time would be minutes, so it is enough that this returns.
  for (const line of ['*'.repeat(200_000), `Purpose:${' '.repeat(200_000)}a\u2028b`]) {
    expect(parsePipelineMarkdown(`# P\n${line}`, 'PIPELINE.md', 'X_Y').ok).toBe(false)
  }
})
