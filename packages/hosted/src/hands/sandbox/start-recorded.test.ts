import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordRunning } from './running.ts'
import { startRecorded } from './start-recorded.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'steward-start-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** A sandbox in the short moment when its program runs but is not yet bound to it. */
const NOT_BOUND_YET = `#!/bin/sh
setsid sh -c 'echo $$; exec sleep 1000' &
printf '{ "child-pid": %d\\n}\\n' $! >&3
exec 3>&-
wait $!
`

describe.runIf(process.platform === 'linux')('a sandbox that is killed during its start', () => {
  it('ends its programs too, and both are recorded until then', async () => {
    const running = recordRunning(home)
    const records = () => readdirSync(join(home, 'hosted', 'running', running.name))
    const command = join(home, 'sandbox')
    writeFileSync(command, NOT_BOUND_YET, { mode: 0o755 })
    const started = startRecorded({ command, args: [] }, { running, env: {}, withStatus: true })
    const inside = Number(await new Promise((resolve) => started.output.once('data', resolve)))
    await expect.poll(records).toContain(`process-${inside}`)
    expect(records()).toHaveLength(2)
    await started.kill()
    expect(isAlive(inside)).toBe(false)
    expect(records()).toEqual([])
    running.close()
  })
})
