import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ASSISTANTS } from '../assistants.ts'
import { readRecording } from '../testing/recorded.ts'
import { renderPlugin } from './render-plugin.ts'

const PLUGIN = join(import.meta.dirname, '../../../../plugin')

describe('the Claude Code plugin', () => {
  it('matches the table (node scripts/build-hook.ts --plugin writes it)', () => {
    for (const [path, text] of Object.entries(renderPlugin())) {
      expect(readFileSync(join(PLUGIN, path), 'utf8'), path).toBe(text)
    }
  })

  it('names only events that the oldest supported version knows', () => {
    // Not in the recordings; `claude plugin validate` of 2.1.197 accepts it and refuses unknown
    // names.
    const accepted = ['StopFailure']
    const seen = new Set(readRecording('claude-code-2.1.197').map(({ event }) => event))
    const unseen = ASSISTANTS.claude.hooks
      .map(({ event }) => event)
      .filter((event) => !seen.has(event))
    expect(unseen).toEqual(accepted)
  })
})
