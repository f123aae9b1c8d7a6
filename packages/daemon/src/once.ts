/** Makes something once for everyone who asks; after a failure the next one to ask tries again. */
export const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((thrown: unknown) => {
      made = undefined
      throw thrown
    })
    return made
  }
}
