import { describe, expect, it } from 'vitest'
import { trustHooks, untrustHooks } from './config.ts'

const FILE = '/home/u/.codex/hooks.json'
const hookOf = (name: string, hash: string) => ({ key: `${FILE}:${name}:0:0`, currentHash: hash })
const THEIRS = 'model = "x"\n\n[hooks.state."/other:stop:0:0"]\ntrusted_hash = "sha256:o"\n'

describe('the trust of Codex', () => {
  it('is added once, renewed when a hook changed, and taken out again without a trace', () => {
    for (const config of ['', 'model = "x"\n', THEIRS]) {
      const trusted = trustHooks(config, [
        hookOf('stop', 'sha256:1'),
        hookOf('session_end', 'sha256:2'),
      ])
      expect(trusted).toContain(`[hooks.state."${FILE}:stop:0:0"]\ntrusted_hash = "sha256:1"\n`)
      expect(trustHooks(trusted, [hookOf('stop', 'sha256:1')])).toBe(trusted)
      const renewed = trustHooks(trusted, [hookOf('stop', 'sha256:9')])
      expect(renewed).toContain('"sha256:9"')
      expect(renewed).not.toContain('"sha256:1"')
      expect(untrustHooks(renewed, FILE)).toBe(config)
    }
  })
})
