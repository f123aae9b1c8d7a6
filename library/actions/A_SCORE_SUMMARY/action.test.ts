import { expect, test } from 'vitest'
import { runAction } from '../../lib/testing/run-action.ts'
import manifest from './action.json' with { type: 'json' }
import * as action from './action.ts'

const content =
  'Otters hold hands while they sleep. Sleeping otters drift, and drifting otters lose each other.'

test('scores by counting and names what is missing', async () => {
  const { qualityScore, missing_terms } = await runAction(manifest, action, {
    content,
    summary: 'Otters sleep.',
  })
  expect(qualityScore).toBeGreaterThan(0)
  expect(qualityScore).toBeLessThan(80)
  expect(missing_terms).toContain('drift')
  expect(missing_terms).not.toContain('otters')
})

test('the text itself lacks nothing', async () => {
  expect(await runAction(manifest, action, { content, summary: content })).toMatchObject({
    qualityScore: 100,
    missing_terms: [],
  })
})

test('needs both texts', async () => {
  await expect(runAction(manifest, action, { content })).rejects.toThrow('missing input "summary"')
})
