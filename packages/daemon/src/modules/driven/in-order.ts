const last = new Map<string, Promise<unknown>>()

/** Runs work under the same name one after the other. */
export const inOrder = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const mine = (last.get(name) ?? Promise.resolve()).then(work, work)
  last.set(name, mine)
  try {
    return await mine
  } finally {
    if (last.get(name) === mine) last.delete(name)
  }
}
