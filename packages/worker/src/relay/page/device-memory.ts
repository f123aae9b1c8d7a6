import type { RelayKeys } from '@steward/contract'

/** What this phone remembers. The keys cannot be exported, not even by this page. */
export interface Pairing {
  device: string
  /** The public key of this phone. */
  publicKey: string
  keys: RelayKeys
  /** What it shows to the relay. */
  access: string
  /** The last counter of each direction. */
  sent: number
  seen: number
}

const STORE = 'pairing'
const KEY = 'one'

const openDatabase = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open('steward', 1)
    request.onupgradeneeded = () => request.result.createObjectStore(STORE)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

/** Reads and changes the pairing in one transaction, so that two tabs never use one counter. */
export const updatePairing = async (
  change: (pairing: Pairing | undefined) => Pairing | undefined,
): Promise<Pairing | undefined> => {
  const database = await openDatabase()
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, 'readwrite')
      const store = transaction.objectStore(STORE)
      let result: Pairing | undefined
      const found: IDBRequest<Pairing | undefined> = store.get(KEY)
      found.onsuccess = () => {
        result = change(found.result)
        if (result !== undefined && result !== found.result) store.put(result, KEY)
      }
      transaction.oncomplete = () => resolve(result)
      transaction.onerror = () => reject(transaction.error)
    })
  } finally {
    database.close()
  }
}
