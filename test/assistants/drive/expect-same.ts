import { isDeepStrictEqual } from 'node:util'

export const expectSame = (found: object, wanted: object): void => {
  if (isDeepStrictEqual(found, wanted)) return
  const different = Object.entries(wanted)
    .map(([key, value]) => [key, Object.entries(found).find(([name]) => name === key)?.[1], value])
    .filter(([, one, other]) => !isDeepStrictEqual(one, other))
  throw new Error(
    different
      .map(([key, one, other]) => `${key} ${JSON.stringify(one)}, not ${JSON.stringify(other)}`)
      .join('; '),
  )
}
