import { join } from 'node:path'
import { HOSTED_SERVER_FILE } from '@steward/contract'

/** The files of hosted agents in the data home. */
export interface HostedPlace {
  /** The data home itself. */
  home: string
  folder: string
  database: string
  masterKey: string
  /** A key for this machine's own command line. */
  ownKey: string
  /** The address file of the running server. */
  server: string
}

export const hostedPlaceOf = (home: string): HostedPlace => {
  const folder = join(home, 'hosted')
  return {
    home,
    folder,
    database: join(home, 'state', 'hosted.sqlite'),
    masterKey: join(folder, 'master.key'),
    ownKey: join(folder, 'own.key'),
    server: join(home, HOSTED_SERVER_FILE),
  }
}
