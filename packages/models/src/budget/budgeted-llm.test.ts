import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestClient } from '../testing/test-client.ts'
import { startVendorStandIn, type VendorStandIn } from '../testing/vendor-stand-in.ts'
import { createBudget } from './budget.ts'
import { createBudgetedLlm } from './budgeted-llm.ts'

let standIn: VendorStandIn
beforeEach(async () => {
  standIn = await startVendorStandIn()
})
afterEach(() => standIn.close())

const prices = { 'claude-haiku-5-5': { input: 0, output: 1000 } }
const nothing = { run: 0, flow: 0, day: 0 }

describe('createBudgetedLlm', () => {
  it('stops before the call that could exceed the budget', async () => {
    const { client } = createTestClient(standIn, 'anthropic', { prices })
    const budget = createBudget({ limits: { perRunUsd: 0.15 }, spent: nothing })
    const llm = createBudgetedLlm(client, budget)
    standIn.script({ usage: { input: 1, output: 100 } })
    expect((await llm('Hello', { maxTokens: 100 })).cost).toBeCloseTo(0.1)
    await expect(llm('Hello', { maxTokens: 100 })).rejects.toMatchObject({
      code: 'budget_exceeded',
      details: { scope: 'run' },
    })
    expect(standIn.calls).toHaveLength(1)
  })

  it('counts two concurrent calls with their maximum cost', async () => {
    const { client } = createTestClient(standIn, 'anthropic', { prices })
    const budget = createBudget({ limits: { perRunUsd: 0.15 }, spent: nothing })
    const llm = createBudgetedLlm(client, budget)
    const both = await Promise.allSettled([
      llm('One', { maxTokens: 100 }),
      llm('Two', { maxTokens: 100 }),
    ])
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(standIn.calls.map(({ prompt }) => prompt)).toEqual(['One'])
  })

  it('counts a refused call, which was paid for', async () => {
    const { client } = createTestClient(standIn, 'anthropic', { prices })
    const budget = createBudget({ limits: { perRunUsd: 0.15 }, spent: nothing })
    const llm = createBudgetedLlm(client, budget)
    standIn.script({ stop: 'refusal', usage: { input: 1, output: 100 } })
    await expect(llm('No', { maxTokens: 100 })).rejects.toMatchObject({ code: 'model_refused' })
    await expect(llm('Yes', { maxTokens: 100 })).rejects.toMatchObject({ code: 'budget_exceeded' })
  })

  it('returns the money when the vendor charged nothing', async () => {
    const { client } = createTestClient(standIn, 'anthropic', { prices })
    const budget = createBudget({ limits: { perRunUsd: 0.15 }, spent: nothing })
    const llm = createBudgetedLlm(client, budget)
    standIn.script({ status: 403 })
    await expect(llm('No', { maxTokens: 100 })).rejects.toMatchObject({ code: 'not_configured' })
    await expect(llm('Yes', { maxTokens: 100 })).resolves.toMatchObject({ provider: 'anthropic' })
  })
})
