import { startVendorStandIn } from './stand-in-server.ts'
import { standInOptions } from './stand-in-types.ts'

export { type SpawnedStandIn, spawnVendorStandIn } from './spawn-stand-in.ts'
export { startVendorStandIn, type VendorStandIn } from './stand-in-server.ts'
export type { ReceivedCall, ScriptedAnswer, VendorStandInOptions } from './stand-in-types.ts'

/**
 * Runs as a separate process: options as JSON in the first argument, the address on the first line.
 */
if (import.meta.main) {
  const standIn = await startVendorStandIn(
    standInOptions.parse(JSON.parse(process.argv[2] ?? '{}')),
  )
  process.stdout.write(`${standIn.url}\n`)
}
