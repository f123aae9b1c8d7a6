/** Hours east of UTC. If a name has several meanings, the one that mail and feeds use. */
const HOURS = new Map(
  'ut=0 utc=0 gmt=0 z=0 wet=0 west=1 bst=1 ist=5.5 cet=1 mez=1 cest=2 mesz=2 met=1 mest=2 eet=2 eest=3 msk=3 msd=4 trt=3 sast=2 pkt=5 sgt=8 hkt=8 awst=8 kst=9 jst=9 acst=9.5 acdt=10.5 aest=10 aedt=11 nzst=12 nzdt=13 brt=-3 brst=-2 art=-3 clt=-4 clst=-3 nst=-3.5 ndt=-2.5 at=-4 ast=-4 adt=-3 et=-5 est=-5 edt=-4 ct=-6 cst=-6 cdt=-5 mt=-7 mst=-7 mdt=-6 pt=-8 pst=-8 pdt=-7 akst=-9 akdt=-8 hst=-10 hdt=-9'
    .split(' ')
    .map((pair): [string, number] => {
      const [name = '', hours] = pair.split('=')
      return [name, Number(hours)]
    }),
)

/** RFC 822's letters, with inverted signs compared with military zones; feeds follow the RFC. */
const LETTERS_WEST = 'abcdefghiklm'
const LETTERS_EAST = 'nopqrstuvwxy'

/** Minutes east of UTC found anywhere in the text: `+0130`, `GMT+2`, `EST`, `Etc/GMT`, `Z`. */
export const zoneMinutes = (text: string): number | undefined => {
  const offset = /(?:^|[^\d])([+-])(\d{1,2}):?(\d{2})?(?!\d)/.exec(text)
  if (offset !== null) return offsetMinutes(offset)
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
    const hours = HOURS.get(word) ?? letterHours(word)
    if (hours !== undefined) return hours * 60
  }
  return undefined
}

const offsetMinutes = (match: RegExpExecArray): number | undefined => {
  const [, sign, hours, minutes = '0'] = match
  const total = Number(hours) * 60 + Number(minutes)
  if (total > 18 * 60) return undefined
  return sign === '-' ? -total : total
}

const letterHours = (word: string): number | undefined => {
  if (word.length !== 1) return undefined
  const west = LETTERS_WEST.indexOf(word)
  if (west >= 0) return -(west + 1)
  const east = LETTERS_EAST.indexOf(word)
  return east >= 0 ? east + 1 : undefined
}
