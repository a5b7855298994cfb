/**
 * The parser of HLS playlists, which nobody here wrote. It takes every EXT-X-SERVER-CONTROL for one of low latency and says on stderr what
 * it misses in it; what it cannot read it leaves out of its answer, and the tests look at that.
 */
import HLS from 'hls-parser';

HLS.setOptions({ silent: true });

export { HLS };
