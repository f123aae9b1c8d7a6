import type { HostedDatabase } from '../database/hosted-database.ts'
import { openPostgres } from '../database/open-postgres.ts'
import { openSqlite } from '../database/open-sqlite.ts'
import type { StartHostedOptions } from './hosted-options.ts'
import { hostedPlaceOf } from './hosted-place.ts'
import { repeat } from './timers.ts'

/** How often SQLite is checked for writes of other processes. */
const LOOK_EVERY_MS = 100

/** The store of the options: Postgres by its address, otherwise a file in the data home. */
export const openStore = ({
  home,
  databaseUrl,
  report,
}: Pick<StartHostedOptions, 'home' | 'databaseUrl' | 'report'>): Promise<HostedDatabase> =>
  databaseUrl === undefined
    ? Promise.resolve(
        openSqlite({
          path: hostedPlaceOf(home).database,
          repeat: (look) => repeat(LOOK_EVERY_MS, look),
        }),
      )
    : openPostgres({ url: databaseUrl, report })
