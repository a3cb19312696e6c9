const PER_SECOND = 1_000;
const FRACTION = 65_536;

/** What the container of a film says of its pictures. */
interface Pictures {
  /** Pixels as they were recorded. */
  width: number;
  height: number;
  /** The camera was held upright. */
  turned?: boolean;
}

/** The skeleton of a film (MP4) of so many seconds, without a single picture in it. */
export function film(seconds: number, pictures?: Pictures): Buffer {
  const header = Buffer.alloc(100);
  header.writeUInt32BE(PER_SECOND, 12);
  header.writeUInt32BE(seconds * PER_SECOND, 16);
  const track = pictures ? [box('trak', box('tkhd', trackHeader(pictures)))] : [];
  return Buffer.concat([
    box('ftyp', Buffer.from('isom\0\0\0\0isommp42', 'latin1')),
    box('mdat', Buffer.alloc(64)),
    box('moov', box('mvhd', header), ...track),
  ]);
}

function trackHeader({ width, height, turned = false }: Pictures): Buffer {
  const header = Buffer.alloc(84);
  const [straight, across] = turned ? [0, FRACTION] : [FRACTION, 0];
  header.writeInt32BE(straight, 40);
  header.writeInt32BE(across, 44);
  header.writeInt32BE(-across, 52);
  header.writeInt32BE(straight, 56);
  header.writeUInt32BE(width * FRACTION, 76);
  header.writeUInt32BE(height * FRACTION, 80);
  return header;
}

function box(name: string, ...content: Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(
    content.reduce((length, { length: more }) => length + more, head.length),
    0,
  );
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, ...content]);
}
