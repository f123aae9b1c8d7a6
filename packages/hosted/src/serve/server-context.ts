import type { HostedDatabase } from '../database/hosted-database.ts'
import type { Hands } from '../hands/hands.ts'
import type { Seal } from '../vaults/seal.ts'
import type { StartHostedOptions } from './hosted-options.ts'
import type { HostedPlace } from './hosted-place.ts'
import type { HostedApiPorts } from './ports.ts'

/** Dependencies that the API and the brain of one server share. */
export interface ServerContext {
  options: StartHostedOptions
  place: HostedPlace
  database: HostedDatabase
  seal: Seal
  hands: Hands
  outputs: HostedApiPorts['outputs']
}
