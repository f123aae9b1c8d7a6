import type { CapabilitiesV2, LlmAnswer } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import { injectCapabilities } from './inject-capabilities.ts'
import { createSubrequestBudget } from './subrequest-budget.ts'

const answer: LlmAnswer = {
  text: 'hi',
  usage: { input: 1, output: 1 },
  cost: 0,
  model: 'm',
  provider: 'offline',
}
const providers: CapabilitiesV2 = {
  llm: async () => answer,
  fetch: async () => new Response('ok'),
  readFile: async () => 'text',
}

describe('injectCapabilities', () => {
  it('provides only declared capabilities', () => {
    const given = injectCapabilities(
      { name: 'A_DO_IT', requires: ['llm'] },
      providers,
      createSubrequestBudget(),
    )
    expect(Object.keys(given)).toEqual(['llm'])
  })

  it('fails at once when a declared capability is unavailable', () => {
    expect(() =>
      injectCapabilities(
        { name: 'A_DO_IT', requires: ['shell'] },
        providers,
        createSubrequestBudget(),
      ),
    ).toThrow('A_DO_IT used shell, which this runtime cannot provide')
  })

  it('counts calls of all kinds against one budget, except files', async () => {
    const budget = createSubrequestBudget(3)
    const { llm, fetch, readFile } = injectCapabilities(
      { name: 'A_DO_IT', requires: ['llm', 'fetch', 'readFile'] },
      providers,
      budget,
    )
    await llm?.('a')
    await fetch?.('https://example.org')
    await readFile?.('a')
    await llm?.('b')
    expect(budget.used()).toBe(3)
    await expect(llm?.('c')).rejects.toMatchObject({
      code: 'subrequest_limit',
      message: 'the run used up its 3 subrequests',
    })
  })

  it('stops at exactly 1000 by default', async () => {
    const { fetch } = injectCapabilities(
      { name: 'A_DO_IT', requires: ['fetch'] },
      providers,
      createSubrequestBudget(),
    )
    for (let call = 0; call < 1000; call++) await fetch?.('https://example.org')
    await expect(fetch?.('https://example.org')).rejects.toMatchObject({ code: 'subrequest_limit' })
  })
})
