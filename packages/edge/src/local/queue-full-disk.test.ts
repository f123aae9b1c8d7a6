import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Sends until the disk is full, makes room, and counts the deliveries. */
const PROGRAM = `
  import { rmSync, writeFileSync } from 'node:fs'
  import { join } from 'node:path'
  import { openEdgeQueues } from './queue-store.ts'
  const folder = process.argv[1]
  const reserve = join(folder, 'reserve')
  writeFileSync(reserve, 'x'.repeat(3_000_000))
  const queues = openEdgeQueues(join(folder, 'queues.sqlite'), Date.now)
  const rules = { maxRetries: 3, deadLetterQueue: undefined }
  const told = { acknowledged: 0, code: '', delivered: 0, later: '' }
  const send = (n) => queues.store.send('items', [{ body: { n, text: 'x'.repeat(20_000) }, delaySeconds: 0 }])
  try {
    for (; told.acknowledged < 1000; told.acknowledged++) await send(told.acknowledged)
  } catch (error) {
    told.code = error.code
  }
  rmSync(reserve)
  told.later = await send(1000).then(() => 'sent', (error) => error.code)
  told.delivered = (await queues.store.lease('items', 2000, rules)).length
  process.stdout.write(JSON.stringify(told))`

test.runIf(process.platform === 'linux')(
  'a full disk refuses messages by name, and loses none that was acknowledged',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'steward-queue-'))
    const script =
      'mount -t tmpfs -o size=4m tmpfs "$1" && exec "$0" --input-type=module -e "$2" "$1"'
    const { stdout, stderr } = spawnSync(
      'unshare',
      ['-rm', 'sh', '-c', script, process.execPath, folder, PROGRAM],
      { cwd: import.meta.dirname, encoding: 'utf8' },
    )
    rmSync(folder, { recursive: true })
    if (stdout === '') throw new Error(stderr)
    const { acknowledged, code, delivered, later } = JSON.parse(stdout)
    expect(code).toBe('disk_full')
    expect(acknowledged).toBeGreaterThan(3)
    expect(later).toBe('sent')
    expect(delivered).toBe(acknowledged + 1)
  },
)
