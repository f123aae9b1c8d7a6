import type { StewardEvent, WorkState } from '@steward/contract'
import { beforeEach, expect, test } from 'vitest'
import { createTabAppearances, type TabAppearances } from './tab-appearance.ts'

let shown: string[]
let appearances: TabAppearances

beforeEach(() => {
  shown = []
  appearances = createTabAppearances((id, { title, background }) => {
    shown.push(`${id} ${title} ${background}`)
  })
})

const take = (type: string, fields: object = {}): void => {
  const event: StewardEvent = {
    timestamp: '2026-11-15T08:00:00.000Z',
    session_id: 's',
    source: 'tool-activity',
    type,
    ...fields,
  }
  appearances.take([event])
}

test('a session thinks, works, asks, continues and ends; each state is shown once', () => {
  take('user_prompt')
  take('tool_use')
  take('tool_use')
  take('permission_request')
  take('notification', { notification_type: 'permission_prompt' })
  take('tool_use')
  take('turn_end')
  expect(shown).toEqual([
    's 💭 thinking #1E0A3C',
    's ⚙️ working #804000',
    's ❓ question #0D4F4F',
    's ⚙️ working #804000',
    's ✅ COMPLETE #022800',
  ])
})

test('a phase stays while it is worked on; a question and an error are shown over it', () => {
  take('user_prompt')
  appearances.recordPhase('s', 'BUILD', 'Fix Roof')
  take('tool_use')
  take('permission_request')
  take('tool_use')
  take('stop_failure')
  take('user_prompt')
  take('tool_use')
  expect(shown.slice(1)).toEqual([
    's 🔨 Fix Roof #78350F',
    's ❓ Fix Roof #0D4F4F',
    's 🔨 Fix Roof #78350F',
    's ⚠️ Fix Roof #804000',
    's 💭 Fix Roof #1E0A3C',
    's ⚙️ Fix Roof #804000',
  ])
})

test('the name comes from the work state; subagents and other rows change nothing', () => {
  appearances.recordWork({ sessions: { roof: { sessionUUID: 's', task: 'Fix the roof' } } })
  take('user_prompt')
  take('tool_use', { agent_id: 'a1' })
  take('notification', { notification_type: 'idle_prompt' })
  take('session_start')
  take('user_prompt', { session_id: '' })
  expect(shown).toEqual(['s 💭 Fix the roof #1E0A3C'])
})

test('a phase of the specification is shown, and an announced one is not shown twice', () => {
  const row = (phase: string, startedAt: number) => ({ phase, startedAt, source: 'isa' })
  const state = (...phaseHistory: object[]): WorkState => ({
    sessions: { roof: { sessionUUID: 's', sessionName: 'Fix Roof', phaseHistory } },
  })
  appearances.recordWork(state(row('OBSERVE', 1)))
  appearances.recordWork(state(row('OBSERVE', 1), row('PLAN', 2)))
  appearances.recordPhase('s', 'BUILD', 'Fix Roof')
  appearances.recordWork(state(row('OBSERVE', 1), row('PLAN', 2), row('BUILD', 3)))
  take('turn_end', { background_tasks: 1 })
  expect(shown).toEqual(['s 📋 Fix Roof #1E1B4B', 's 🔨 Fix Roof #78350F'])
})

test('a turn that ends while something runs in the background shows as working', () => {
  take('user_prompt')
  take('turn_end', { background_tasks: 1 })
  take('turn_end', { background_tasks: 0 })
  expect(shown.slice(1)).toEqual(['s ⚙️ working #804000', 's ✅ COMPLETE #022800'])
})
