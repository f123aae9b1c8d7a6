import { join } from 'node:path'
import type { ModelPrices, UsagePeriod } from '@steward/contract'
import { withLock } from '@steward/platform'
import { describePeriod, type PeriodUsage } from './describe-period.ts'
import { findRecords } from './find-records.ts'
import { importHistory } from './import-history.ts'
import { changedRecords } from './import-usage.ts'
import { openUsageLedger, type UsageLedger } from './usage-ledger.ts'
import type { UsagePlace } from './usage-reader.ts'

/** Another import at the same time has at most this long. */
const LOCK_WAIT_MS = 60_000

interface LedgerPlace extends UsagePlace {
  /** The folder of the databases. */
  databases: string
}

/** Opens the ledger of a data home for the duration of `use`. */
export const withUsageLedger = async <T>(
  { databases }: Pick<LedgerPlace, 'databases'>,
  use: (ledger: UsageLedger) => Promise<T>,
  ownPrices?: ModelPrices,
): Promise<T> => {
  const ledger = openUsageLedger(join(databases, 'usage.sqlite'), ownPrices)
  try {
    return await use(ledger)
  } finally {
    await ledger.close()
  }
}

/** Reads all new records into the ledger. Resolves to what could not be read. */
export const updateUsage = (ledger: UsageLedger, place: LedgerPlace): Promise<string[]> =>
  withLock(
    join(place.databases, 'usage.lock'),
    async () => {
      const { records, problems } = await findRecords(place)
      return [...problems, ...(await importHistory(changedRecords(records, ledger), ledger))]
    },
    { waitMs: LOCK_WAIT_MS },
  )

/** The last period that is over, with everything that is on disk now. */
export const readPeriod = (
  place: LedgerPlace,
  period: UsagePeriod,
  nowMs: number,
): Promise<PeriodUsage> =>
  withUsageLedger(place, async (ledger) => {
    await updateUsage(ledger, place)
    return describePeriod(ledger, period, nowMs)
  })
