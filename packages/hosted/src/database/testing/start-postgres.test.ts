import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('leaves the exit code of the process that started the server', () => {
  const script = `
    const { startPostgres } = await import(${JSON.stringify(import.meta.resolve('./start-postgres.ts'))})
    const server = await startPostgres()
    await server.stop()
    process.exitCode = 3`
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', script],
    { encoding: 'utf8' },
  )
  expect({ status, stderr }).toEqual({ status: 3, stderr: '' })
})
