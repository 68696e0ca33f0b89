"""Array types."""

from typing import Any

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
Int32Array = npt.NDArray[np.int32]
UInt64Array = npt.NDArray[np.uint64]
ByteArray = npt.NDArray[np.uint8]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
StatArray = npt.NDArray[Any]  # sufficient statistics: int64 where they are counts, float64 otherwise
